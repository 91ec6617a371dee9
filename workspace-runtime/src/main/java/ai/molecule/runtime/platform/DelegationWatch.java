package ai.molecule.runtime.platform;

import ai.molecule.runtime.tools.DelegationRows;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands over what came of the agent's delegations: into its {@link ResultsFile}, to its user as a notice, and to the agent
 * itself as a message, at most one a minute, so that it goes on.
 *
 * <p>What was over before the first look is handed over too, once: it may have ended while the agent was down.
 */
public final class DelegationWatch implements Routines.Routine {

    /** More delegations than this are not remembered as handed over; the platform lists the newest 50. */
    static final int SEEN_MAX = 200;

    static final Duration BETWEEN_MESSAGES = Duration.ofSeconds(60);

    private static final Logger LOGGER = LoggerFactory.getLogger(DelegationWatch.class);
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String HEADING = "Results of work you delegated have arrived:";

    private final WorkspaceClient self;
    private final ResultsFile results;
    private final SeenFile seenFile;
    private final Duration interval;
    private final Clock clock;
    private final Set<String> seen = new LinkedHashSet<>();
    private final List<String> untold = new ArrayList<>();
    private @Nullable Instant lastTold;
    private @Nullable String parentName;

    /** @param interval between two looks */
    public DelegationWatch(
            WorkspaceClient self, ResultsFile results, SeenFile seenFile, Duration interval, Clock clock) {
        this.self = self;
        this.results = results;
        this.seenFile = seenFile;
        this.interval = interval;
        this.clock = clock;
        this.seen.addAll(seenFile.read());
    }

    @Override
    public void run() throws InterruptedException {
        while (true) {
            Thread.sleep(interval);
            try {
                look();
            } catch (PlatformException | UncheckedIOException e) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                LOGGER.atDebug().addKeyValue("reason", e.getMessage()).log("delegations not seen to");
            }
        }
    }

    void look() {
        List<DelegationResult> fresh = fresh(self.delegations());
        if (!fresh.isEmpty()) {
            Instant now = clock.instant();
            results.add(fresh.stream().map(result -> result.toJson(now)).toList());
            fresh.forEach(result -> seen.add(result.delegationId()));
            forgetOld();
            seenFile.write(seen);
            fresh.forEach(result -> untold.add(result.line()));
        }
        tellSelf();
        fresh.forEach(this::tellUser);
    }

    private List<DelegationResult> fresh(JsonNode rows) {
        List<DelegationResult> fresh = new ArrayList<>();
        Set<String> met = new LinkedHashSet<>(seen);
        for (JsonNode row : DelegationRows.of(rows)) {
            var result = DelegationResult.of(row);
            if (!result.isOver() || result.delegationId().isEmpty()) {
                continue;
            }
            if (!result.sourceId().equals(self.id())) {
                LOGGER.atWarn()
                        .addKeyValue("delegationId", result.delegationId())
                        .log("a result of somebody else's delegation is ignored");
            } else if (met.add(result.delegationId())) {
                fresh.add(result);
            }
        }
        return fresh;
    }

    private void forgetOld() {
        var oldestFirst = seen.iterator();
        for (int over = seen.size() > SEEN_MAX ? seen.size() - SEEN_MAX / 2 : 0; over > 0; over--) {
            oldestFirst.next();
            oldestFirst.remove();
        }
    }

    private void tellSelf() {
        Instant now = clock.instant();
        Instant before = lastTold;
        if (untold.isEmpty() || (before != null && now.isBefore(before.plus(BETWEEN_MESSAGES)))) {
            return;
        }
        String text = HEADING + "\n" + String.join("\n", untold) + "\n\n" + instruction();
        untold.clear();
        lastTold = now;
        String id = "delegation-results-" + UUID.randomUUID().toString().substring(0, 8);
        Thread.ofVirtual().name(id).start(() -> send(id, text));
    }

    private void send(String id, String text) {
        try {
            self.tellSelf(id, text, TIMEOUT);
        } catch (PlatformException e) {
            LOGGER.atWarn().addKeyValue("reason", e.getMessage()).log("own message not answered");
        }
    }

    private String instruction() {
        String parent = parent();
        return "Look at them and go on with what they were for."
                + (parent.isEmpty() ? "" : " Report to " + parent + " with delegate_task when your work is done.")
                + " Tell your user what matters with send_message_to_user.";
    }

    /** Asked for once; empty when there is none. */
    private String parent() {
        String known = parentName;
        if (known == null) {
            known = askForParent();
            parentName = known;
        }
        return known;
    }

    private String askForParent() {
        try {
            return Optional.ofNullable(self.describe().path("parent_id").textValue())
                    .map(id -> self.describe(id).path("name").asText(""))
                    .orElse("");
        } catch (PlatformException notNow) {
            return "";
        }
    }

    private void tellUser(DelegationResult result) {
        try {
            self.notifyUser(result.notice(), "delegation_result");
        } catch (PlatformException e) {
            LOGGER.atWarn().addKeyValue("reason", e.getMessage()).log("notice not shown");
        }
    }
}
