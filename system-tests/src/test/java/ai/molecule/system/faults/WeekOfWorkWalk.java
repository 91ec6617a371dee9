package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import ai.molecule.system.Platform;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAdjusters;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An organisation from a file works through the week in which the clocks change, and nobody looks at it: the test moves the time of day of the
 * whole platform from one thing that happens to the next, kills a service at two of them each day, lets the machine sleep for 6 h of each night
 * but one, once with the platform stopped, and reads afterwards what the platform says of it.
 */
class WeekOfWorkWalk {

    private static final Duration IDLE = Duration.ofMinutes(5);
    private static final Duration SLEEP = Duration.ofHours(6);
    private static final int DAYS = Integer.getInteger("molecule.week.days", 7);
    private static final String SECRET = "a-secret-of-some-length";

    /** One for each of the two crashes of a day. */
    private static final List<String> KILLED = List.of(
            "ProxyMain",
            "EventsMain",
            "EventsMain",
            "ProvisionerMain",
            "ProvisionerMain",
            "RegistryMain",
            "RegistryMain",
            "ProxyMain",
            "EventsMain",
            "ProxyMain",
            "ProvisionerMain",
            "EventsMain",
            "ProxyMain",
            "RegistryMain");

    /** @param ticks what there is to be in its history */
    private record Clocked(String agent, String name, Map<Instant, WeekCalendar.Fate> ticks) {}

    private final Map<String, String> ids = new HashMap<>();
    private final Map<String, Clocked> schedules = new TreeMap<>();
    private final Set<String> keptUp = new HashSet<>();
    private final TreeMap<Instant, Duration> nights = new TreeMap<>();
    private final int port = TestStores.freePort();
    private Duration asleep = Duration.ZERO;
    private Duration nobodyWas = Duration.ZERO;
    private int crashes;
    private int things;

    @SuppressWarnings("NullAway.Init")
    private MovedClock clock;

    @SuppressWarnings("NullAway.Init")
    private Platform platform;

    @SuppressWarnings("NullAway.Init")
    private Path data;

    @Test
    void every_run_and_miss_is_told_of_and_each_thing_that_waited_sent_one_link(@TempDir Path temp) throws Exception {
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        data = temp.resolve("data");
        clock = MovedClock.in(temp);
        var change = WeekCalendar.ZONE
                .getRules()
                .nextTransition(Instant.now().plus(Duration.ofDays(8)))
                .getInstant();
        var monday = change.atZone(WeekCalendar.ZONE).toLocalDate().with(TemporalAdjusters.previous(DayOfWeek.MONDAY));
        var start = WeekCalendar.at(monday, LocalTime.of(6, 0));
        clock.moveTo(start);
        up();
        try (var mailbox = new Mailbox()) {
            importOrganisation(monday);
            target(mailbox);
            for (int day = 0; day < DAYS; day++) {
                work(monday.plusDays(day), day, mailbox);
                System.out.println("%s of the platform is over at %s".formatted(monday.plusDays(day), Instant.now()));
            }
            assertHistory();
            assertNotifications(mailbox);
            var week = Duration.between(start, clock.now()).minus(nobodyWas);
            double share = (double) asleep.toSeconds() / (week.toSeconds() * ids.size());
            System.out.printf(
                    "a week of %d ticks (%s), %d crashes, %d sleeps of 6 h, %d things that waited, %d messages; agents slept %.1f %% of it%n",
                    schedules.values().stream()
                            .mapToInt(one -> one.ticks.size())
                            .sum(),
                    fates(),
                    crashes,
                    nights.size(),
                    things,
                    mailbox.taken().size(),
                    share * 100);
            assertThat(share).isGreaterThan(0.7);
            assertThat(crashes).isEqualTo(2 * DAYS);
        } finally {
            platform.close();
        }
    }

    private void work(LocalDate day, int nth, Mailbox mailbox) throws IOException {
        boolean workday = nth < 5;
        tick(WeekCalendar.at(day, LocalTime.of(8, 30)), KILLED.get(2 * nth));
        keptUp.add("Lead"); // who waits for a decision does not sleep
        int told = mailbox.taken().size();
        if (workday) {
            ask("pay the bill of " + day);
            mailbox.refuse(nth == 1 ? 2 : 0);
            var report = WeekCalendar.at(day, LocalTime.of(9, 0));
            var watch = WeekCalendar.at(day, LocalTime.of(8, 0), ZoneOffset.UTC);
            goTo(report);
            schedule("report").ticks.put(report, WeekCalendar.Fate.ON_TIME);
            if (watch.equals(report)) {
                tick(report);
            }
            await("of the approval and the question")
                    .until(() -> mailbox.taken().size() >= told + 2);
            goTo(WeekCalendar.at(day, LocalTime.of(9, 40)));
            mailbox.taken().stream()
                    .skip(told)
                    .map(one -> one.path("link").asText())
                    .distinct()
                    .forEach(this::decide);
            things += 2;
            settle("report", report);
            if (!watch.equals(report)) {
                keptUp.remove("Lead");
                tick(watch);
            }
        } else {
            tick(WeekCalendar.at(day, LocalTime.of(8, 0), ZoneOffset.UTC));
        }
        keptUp.remove("Lead");
        if (nth == 2) {
            tick(WeekCalendar.at(day, LocalTime.of(15, 0)));
        }
        tick(WeekCalendar.at(day, LocalTime.of(16, 0), ZoneOffset.UTC), KILLED.get(2 * nth + 1));
        goTo(WeekCalendar.at(day, LocalTime.of(19, 0)));
        await("of the digest of " + day).until(() -> digests(mailbox) == nth + 1);
        if (nth == 5) { // the clocks change in the night to Sunday: nobody sleeps through it
            nightOf(day.plusDays(1));
        } else {
            sleep(WeekCalendar.at(day, LocalTime.of(23, 30)), nth == 2);
        }
    }

    /** The ticks of a night in which the machine runs. */
    private void nightOf(LocalDate day) {
        var morning = WeekCalendar.at(day, LocalTime.of(5, 30));
        schedules.keySet().stream()
                .flatMap(name -> WeekCalendar.ticks(name, day).stream())
                .filter(moment -> moment.isBefore(morning))
                .distinct()
                .sorted()
                .toList()
                .forEach(moment -> tick(moment));
    }

    /** All that is due at a moment, awaited; of a service that is killed then, too. */
    private void tick(Instant moment, String... killed) {
        goTo(moment);
        for (String service : killed) {
            kill(service);
        }
        var due = dueAt(moment);
        assertThat(due).as("due at " + moment).isNotEmpty();
        due.forEach(name -> schedule(name)
                .ticks
                .put(moment, killed.length > 0 ? WeekCalendar.Fate.CRASHED : WeekCalendar.Fate.ON_TIME));
        due.stream().filter(name -> !name.equals("report")).forEach(name -> settle(name, moment));
    }

    private List<String> dueAt(Instant moment) {
        var day = moment.atZone(WeekCalendar.ZONE).toLocalDate();
        return schedules.keySet().stream()
                .filter(name -> WeekCalendar.ticks(name, day).contains(moment))
                .toList();
    }

    private Clocked schedule(String name) {
        return schedules.computeIfAbsent(name, unknown -> {
            throw new AssertionError("no schedule " + name);
        });
    }

    // Time ------------------------------------------------------------------------------------------------------------

    /** Everybody falls asleep by the way, where there is time for it. */
    private void goTo(Instant moment) {
        if (clock.now().plus(IDLE.multipliedBy(4)).isBefore(moment)) {
            rest(moment.minus(IDLE));
        }
        if (clock.now().isBefore(moment)) {
            jump(moment);
        }
    }

    /** Whoever was at something a moment ago is idle later than others. */
    private void rest(Instant last) {
        while (!awake().isEmpty()) {
            assertThat(clock.now().plus(IDLE)).as("who is awake: " + awake()).isBefore(last);
            clock.moveTo(clock.now().plus(IDLE).plusSeconds(10));
            try {
                await().atMost(Duration.ofSeconds(50)).until(() -> awake().isEmpty());
            } catch (ConditionTimeoutException notYet) {
                continue;
            }
        }
    }

    private void jump(Instant moment) {
        long sleeping = ids.size()
                - statuses().values().stream()
                        .filter(status -> !status.equals("hibernated"))
                        .count();
        asleep = asleep.plus(Duration.between(clock.now(), moment).multipliedBy(sleeping));
        clock.moveTo(moment.plusMillis(50));
    }

    private List<String> awake() {
        return statuses().entrySet().stream()
                .filter(one -> !one.getValue().equals("hibernated") && !keptUp.contains(one.getKey()))
                .map(one -> one.getKey() + " " + one.getValue())
                .toList();
    }

    private Map<String, String> statuses() {
        Map<String, String> statuses = new TreeMap<>();
        ids.forEach((name, id) -> statuses.put(name, insist(() -> platform.status(id))));
        return statuses;
    }

    /** @param stopped whether the platform is ended before and started afterwards; else it sleeps with its machine */
    private void sleep(Instant from, boolean stopped) throws IOException {
        goTo(from);
        var to = from.plus(SLEEP);
        if (stopped) {
            platform.close();
        }
        clock.moveTo(to);
        nobodyWas = nobodyWas.plus(SLEEP);
        nights.put(from, SLEEP);
        if (stopped) {
            up();
        }
        for (var day = from.atZone(WeekCalendar.ZONE).toLocalDate();
                !WeekCalendar.at(day, LocalTime.MIN).isAfter(to);
                day = day.plusDays(1)) {
            for (var one : schedules.values()) {
                WeekCalendar.ticks(one.name, day).stream()
                        .filter(moment -> moment.isAfter(from) && moment.isBefore(to))
                        .forEach(moment -> one.ticks.put(moment, WeekCalendar.fateAsleep(one.name, moment)));
            }
        }
        schedules
                .values()
                .forEach(one -> one.ticks.forEach((moment, fate) -> {
                    if (moment.isAfter(from)) {
                        settle(one.name, moment);
                    }
                }));
    }

    // What happens ----------------------------------------------------------------------------------------------------

    private void up() {
        platform = Platform.up(clock.environment(), port, data, "--no-demo", "--split");
    }

    private void importOrganisation(LocalDate monday) {
        var body = Platform.JSON.createObjectNode();
        body.putObject("files").put("org.yaml", WeekCalendar.organisation(monday));
        platform.post(201, "/org/import", body.toString())
                .path("workspaces")
                .forEach(
                        one -> ids.put(one.path("name").asText(), one.path("id").asText()));
        assertThat(ids).hasSize(4);
        ids.forEach((name, id) -> {
            platform.awaitStatus(id, "online");
            platform.get("/workspaces/" + id + "/schedules")
                    .forEach(row -> schedules.put(
                            row.path("name").asText(),
                            new Clocked(name, row.path("name").asText(), new TreeMap<>())));
        });
        assertThat(schedules).hasSize(6);
    }

    private void target(Mailbox mailbox) {
        platform.post(
                201,
                "/notifications/targets",
                target("ann")
                        .put("url", mailbox.url())
                        .put("digest_at", "18:30")
                        .put("zone", WeekCalendar.ZONE.getId())
                        .toString());
    }

    private static ObjectNode target(String who) {
        return Platform.JSON
                .createObjectNode()
                .put("name", who)
                .put("who", who)
                .put("channel", "webhook")
                .put("secret", SECRET);
    }

    /** As the agent does. */
    private void ask(String action) {
        String lead = id("Lead");
        String token = insist(() -> platform.get("/admin/workspaces/" + lead + "/test-token")
                .path("auth_token")
                .asText());
        insist(() -> platform.post(
                        201,
                        "/workspaces/" + lead + "/approvals",
                        Platform.JSON.createObjectNode().put("action", action).toString(),
                        token)
                .path("approval_id")
                .asText());
    }

    /** As a person does who follows a link. */
    private void decide(String link) {
        String thing = link.replaceFirst(".*#needs=", "");
        var row = insist(() -> {
            for (var one : platform.get("/inbox").path("rows")) {
                if (one.path("id").asText().equals(thing)) {
                    return one;
                }
            }
            throw new AssertionError("not in the inbox: " + link);
        });
        String workspace = row.path("workspace_id").asText();
        if (row.path("kind").asText().equals("approval")) {
            insist(() -> platform.post(
                    200,
                    "/workspaces/" + workspace + "/approvals/"
                            + row.at("/details/approval_id").asText() + "/decide",
                    "{\"decision\":\"approved\",\"decided_by\":\"ann\"}"));
            return;
        }
        assertThat(row.path("kind").asText()).as(row.toString()).isEqualTo("question");
        var message = Platform.JSON.createObjectNode().put("method", "message/send");
        var words = message.putObject("params")
                .putObject("message")
                .put("role", "user")
                .put("messageId", "answer-" + thing)
                .put("taskId", row.at("/details/task_id").asText());
        words.putArray("parts").addObject().put("kind", "text").put("text", "yes");
        insist(() -> platform.post(200, "/workspaces/" + workspace + "/a2a", message.toString()));
    }

    private void kill(String service) {
        var process = await().until(() -> platform.processWith(service), Optional::isPresent)
                .orElseThrow();
        process.destroyForcibly();
        process.onExit().join();
        await().until(() -> platform.processWith(service).isPresent());
        crashes++;
    }

    // What is said of it ----------------------------------------------------------------------------------------------

    /** Waits until the history has the end of a tick. */
    private void settle(String schedule, Instant moment) {
        var one = schedule(schedule);
        await("that %s of %s is over".formatted(schedule, moment))
                .ignoreExceptions()
                .until(() -> !"queued"
                        .equals(history(one)
                                .getOrDefault(moment, noRun())
                                .path("status")
                                .asText("queued")));
    }

    private static JsonNode noRun() {
        return Platform.JSON.createObjectNode();
    }

    private Map<Instant, JsonNode> history(Clocked one) {
        String path = "/workspaces/" + id(one.agent) + "/schedules";
        for (var schedule : platform.get(path)) {
            if (schedule.path("name").asText().equals(one.name)) {
                Map<Instant, JsonNode> runs = new TreeMap<>();
                platform.get("%s/%s/history?limit=200"
                                .formatted(path, schedule.path("id").asText()))
                        .forEach(run ->
                                runs.merge(Instant.parse(run.path("tick_at").asText()), run, (first, second) -> {
                                    throw new AssertionError("twice: " + first + second);
                                }));
                return runs;
            }
        }
        throw new AssertionError("no schedule " + one.name);
    }

    private void assertHistory() {
        for (var one : schedules.values()) {
            var history = history(one);
            assertThat(history.keySet()).as(one.name).isEqualTo(one.ticks.keySet());
            one.ticks.forEach((moment, fate) -> {
                var run = history.get(moment);
                String why = run.path("error_detail").asText("");
                String said = "%s of %s: %s".formatted(one.name, moment, run);
                switch (fate) {
                    case ON_TIME -> {
                        assertThat(run.path("status").asText()).as(said).isEqualTo("ok");
                        assertThat(why).as(said).doesNotContain("late");
                    }
                    case LATE -> {
                        assertThat(run.path("status").asText()).as(said).isEqualTo("ok");
                        assertThat(why).as(said).contains("late: the platform did not run then");
                    }
                    case CRASHED -> {
                        if (!run.path("status").asText().equals("ok")) {
                            assertThat(why).as(said).startsWith("the platform did not run then; ");
                        }
                    }
                    case MISSED -> {
                        assertThat(run.path("status").asText()).as(said).isEqualTo("missed");
                        assertThat(why).as(said).startsWith("the platform did not run then; ");
                    }
                }
            });
        }
    }

    private void assertNotifications(Mailbox mailbox) throws IOException, SQLException {
        Map<String, Set<String>> links = new TreeMap<>();
        for (var told : mailbox.taken()) {
            if (told.path("event").asText().equals("waiting")) {
                links.computeIfAbsent(told.path("link").asText(), link -> new HashSet<>())
                        .add(told.path("id").asText());
            }
        }
        assertThat(links).as(mailbox.taken().toString()).hasSize(things);
        assertThat(links.values()).allSatisfy(messages -> assertThat(messages).hasSize(1));
        Map<String, Integer> kept = new TreeMap<>();
        try (var connection = LogTable.of(platform).connect();
                var rows = connection
                        .createStatement()
                        .executeQuery(
                                "SELECT event || ' ' || outcome, count(*)::integer FROM events.notifications GROUP BY 1")) {
            while (rows.next()) {
                kept.put(rows.getString(1), rows.getInt(2));
            }
        }
        assertThat(kept).isEqualTo(Map.of("waiting delivered", things, "digest delivered", DAYS));
        assertThat(platform.get("/inbox").path("rows")).isEmpty();
    }

    private static long digests(Mailbox mailbox) {
        return mailbox.taken().stream()
                .filter(told -> told.path("event").asText().equals("digest"))
                .map(told -> told.path("id").asText())
                .distinct()
                .count();
    }

    private String fates() {
        Map<WeekCalendar.Fate, Integer> counts = new TreeMap<>();
        schedules.values().forEach(one -> one.ticks.values().forEach(fate -> counts.merge(fate, 1, Integer::sum)));
        return counts.toString();
    }

    private String id(String agent) {
        return ids.get(agent);
    }

    /** As a client that comes again: who serves it may be killed. */
    private static <T> T insist(Callable<T> call) {
        return await().ignoreExceptions().until(call, said -> said != null);
    }
}
