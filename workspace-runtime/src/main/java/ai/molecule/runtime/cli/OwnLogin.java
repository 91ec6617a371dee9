package ai.molecule.runtime.cli;

import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.GivenModels;
import ai.molecule.runtime.agent.NotReady;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program that keeps its own login, such as a person's subscription ({@code runtime_config.auth: own}). It is told nothing of the platform's
 * model door, so nobody counts what its models cost; what it may do is bounded by the steps of one run and by hours of a day instead. The
 * hours are kept in a file, at least every half minute, so a restart does not give new ones.
 */
final class OwnLogin {

    /** Why a run was stopped; its message is for whoever gave the task. */
    static final class UsedUp extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private UsedUp(String why) {
            super("I have stopped in the middle of this task: " + why, null, false, false);
        }
    }

    private static final Logger LOGGER = LoggerFactory.getLogger(OwnLogin.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int STEPS_DEFAULT = 200;
    private static final int STEPS_MAX = 100_000;
    private static final int HOURS_DEFAULT = 8;

    /** As many runs as there may be at one time, all day. */
    private static final int HOURS_MAX = 24 * CliExecutor.RUNS_MAX;

    private static final String FILE = ".own-login.json";
    private static final Duration WRITTEN_EVERY = Duration.ofSeconds(30);
    private static final Set<String> ADDRESSES =
            Set.of("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL");

    private final int stepsMax;
    private final Duration dayMax;
    private final Path file;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private LocalDate day;
    private Duration used;
    private Duration written;
    private int running;
    private long seenAtNanos;

    OwnLogin(int stepsMax, Duration dayMax, Path folder, Clock clock, LongSupplier nanoTime) {
        this.stepsMax = stepsMax;
        this.dayMax = dayMax;
        this.file = folder.resolve(FILE);
        this.clock = clock;
        this.nanoTime = nanoTime;
        JsonNode kept = kept();
        this.day = today();
        this.used = kept.path("day").asText("").equals(day.toString())
                ? Duration.ofSeconds(Math.max(0, kept.path("seconds").asLong()))
                : Duration.ZERO;
        this.written = used;
    }

    /** @throws NotReady when a setting is none */
    static Optional<OwnLogin> of(AdapterContext context) {
        String auth = context.text("auth", "platform");
        if (auth.equals("platform")) {
            return Optional.empty();
        }
        if (!auth.equals("own")) {
            throw wrong("auth", auth, "own, or platform");
        }
        int steps = context.number("own_steps_max", STEPS_DEFAULT);
        int hours = context.number("own_hours_max", HOURS_DEFAULT);
        if (steps < 1 || steps > STEPS_MAX) {
            throw wrong("own_steps_max", String.valueOf(steps), "a number from 1 to " + STEPS_MAX);
        }
        if (hours < 1 || hours > HOURS_MAX) {
            throw wrong("own_hours_max", String.valueOf(hours), "a number from 1 to " + HOURS_MAX);
        }
        return Optional.of(new OwnLogin(
                steps, Duration.ofHours(hours), context.configFolder(), Clock.systemUTC(), System::nanoTime));
    }

    private static NotReady wrong(String setting, String value, String good) {
        return new NotReady("Configuration", "runtime_config." + setting + " is " + value, "Set it to " + good + ".");
    }

    /** Without what would lead a program to the platform's door. What somebody gave it besides stays. */
    static Map<String, String> withoutDoor(Map<String, String> environment) {
        var given = GivenModels.in(environment);
        Map<String, String> own = new HashMap<>(environment);
        own.keySet().removeIf(name -> name.startsWith("MOLECULE_MODEL_"));
        given.ifPresent(door -> {
            own.values().removeIf(door.key()::equals);
            own.entrySet()
                    .removeIf(entry -> ADDRESSES.contains(entry.getKey())
                            && entry.getValue().startsWith(door.door()));
        });
        return own;
    }

    /** @throws UsedUp when a run took more steps than it may */
    void step(int nth) {
        if (nth > stepsMax) {
            throw new UsedUp(
                    "with a login of its own, which nobody meters, it may take %d steps. Answer, and I go on for as many again; cancel it, and it ends here."
                            .formatted(stepsMax));
        }
    }

    /** Each is to be {@linkplain #ends ended}. */
    synchronized void begins() {
        count();
        running++;
    }

    synchronized void ends() {
        count();
        running--;
        write();
    }

    /**
     * When to ask again: never later than a run that goes on alone, or beside the others, would use up what is left of the day.
     *
     * @throws UsedUp when there is nothing left
     */
    synchronized Duration next() {
        count();
        if (used.minus(written).compareTo(WRITTEN_EVERY) >= 0) {
            write();
        }
        var left = dayMax.minus(used);
        if (left.isNegative() || left.isZero()) {
            throw new UsedUp(
                    "with a login of its own, which nobody meters, this agent may work %d h a day (UTC), and today's are used up. Answer tomorrow, or after runtime_config.own_hours_max was raised, and I go on; cancel it, and it ends here."
                            .formatted(dayMax.toHours()));
        }
        var together = left.dividedBy(Math.max(1, running)).plusMillis(1);
        return together.compareTo(WRITTEN_EVERY) < 0 ? together : WRITTEN_EVERY;
    }

    private void count() {
        long now = nanoTime.getAsLong();
        used = used.plusNanos((now - seenAtNanos) * running);
        seenAtNanos = now;
        if (!today().equals(day)) {
            day = today();
            used = Duration.ZERO;
            written = Duration.ZERO;
        }
    }

    private LocalDate today() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    private JsonNode kept() {
        try {
            return Files.exists(file) ? JSON.readTree(Files.readAllBytes(file)) : JSON.createObjectNode();
        } catch (IOException unreadable) {
            LOGGER.atWarn()
                    .addKeyValue("reason", unreadable.toString())
                    .log("how long the program worked today is not known");
            return JSON.createObjectNode();
        }
    }

    private void write() {
        written = used;
        try {
            Path fresh = Files.createTempFile(file.toAbsolutePath().getParent(), FILE, ".new");
            Files.write(
                    fresh,
                    JSON.writeValueAsBytes(
                            JSON.createObjectNode().put("day", day.toString()).put("seconds", used.toSeconds())));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException full) {
            LOGGER.atWarn().addKeyValue("reason", full.toString()).log("how long the program worked today is not kept");
        }
    }
}
