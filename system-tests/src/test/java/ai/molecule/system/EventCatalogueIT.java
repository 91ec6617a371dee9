package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Documents;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every event at its trigger with its payload, across the services, as {@code catalogue.txt} lists them. */
@Tag("full")
class EventCatalogueIT {

    private static final Path DOCUMENT = Documents.WIRE_EVENTS;

    private record Row(String trigger, String event, Set<String> keys) {}

    private final Map<String, Supplier<String>> triggers = new LinkedHashMap<>();
    private final Map<Instant, Map<String, String>> past = new TreeMap<>();
    private Platform platform;
    private String outsider;
    private String token;
    private String caller;
    private String managed;
    private String colleague;

    @Test
    void every_event_comes_at_its_trigger_with_its_payload_and_the_org_chart_of_every_moment_is_found_again(
            @TempDir Path data) {
        define();
        try (var running = Platform.up(Map.of("MOLECULE_RUNTIMES", "nobodys"), data, "--no-demo");
                var canvas = new EventStream(running)) {
            platform = running;
            for (var row : rows()) {
                if (row.trigger.startsWith("(")) {
                    continue;
                }
                canvas.forget();
                String workspaceId = trigger(row).get();
                await(row.trigger)
                        .untilAsserted(() -> assertThat(payloads(canvas, row.event, workspaceId))
                                .anySatisfy(
                                        payload -> assertThat(namesOf(payload)).containsAll(row.keys)));
                remember();
            }
            past.forEach((moment, org) -> assertThat(orgAt(moment)).isEqualTo(org));
        }
    }

    @Test
    void the_table_and_the_document_list_the_same_events() throws IOException {
        var inDocument = new TreeSet<String>();
        var line = Pattern.compile("^\\| ([A-Z0-9_]+) \\| (recorded|ephemeral) \\|", Pattern.MULTILINE)
                .matcher(Files.readString(DOCUMENT));
        while (line.find()) {
            inDocument.add(line.group(1));
        }

        assertThat(rows().stream().map(Row::event)).containsAll(inDocument);
        assertThat(inDocument).containsAll(rows().stream().map(Row::event).toList());
    }

    /** Each does the thing and answers the workspace whose event is expected. */
    private void define() {
        triggers.put("external workspace created without a URL", () -> {
            var created = create("Outsider", "");
            token = created.at("/connection/auth_token").asText();
            return outsider = created.get("id").asText();
        });
        triggers.put(
                "external workspace created with a URL",
                () -> caller = create("Caller", ",\"url\":\"http://192.0.2.10:9000\"")
                        .get("id")
                        .asText());
        triggers.put("agent registered", () -> tell(outsider, "register", """
                {"id":"%s","url":"remote://no-inbound","agent_card":{"name":"Outsider"}}""".formatted(outsider)));
        triggers.put("agent gave a new card", () -> tell(outsider, "update-card", """
                {"workspace_id":"%s","agent_card":{"name":"Outsider","version":"2"}}""".formatted(outsider)));
        triggers.put("heartbeat with many errors", () -> beat("\"error_rate\":0.6,\"sample_error\":\"model away\""));
        triggers.put("heartbeat with few errors", () -> beat("\"error_rate\":0"));
        triggers.put("heartbeat with another task", () -> beat("\"current_task\":\"reading\",\"active_tasks\":1"));
        triggers.put("heartbeat with another count of tasks", () -> beat("\"active_tasks\":2"));
        triggers.put("workspace renamed", () -> patch(outsider, "{\"name\":\"Outsider the Second\"}"));
        triggers.put("workspace moved", () -> patch(outsider, "{\"parent_id\":\"%s\"}".formatted(caller)));
        triggers.put("approval asked for", () -> ask(outsider));
        triggers.put("approval asked for by a child", () -> {
            ask(outsider);
            return caller; // its parent since the move
        });
        triggers.put("approval granted", () -> decide(outsider, "approved"));
        triggers.put("approval denied", () -> decide(outsider, "denied"));
        triggers.put("approval decided", () -> decide(outsider, "approved"));
        triggers.put("activity reported", () -> post(outsider, "activity", """
                {"activity_type":"agent_log","summary":"looked around"}"""));
        triggers.put("user notified", () -> post(outsider, "notify", "{\"message\":\"done\"}"));
        triggers.put("managed workspace created", () -> managed = platform.create("Echo", "echo", null));
        triggers.put("message sent to it", () -> {
            platform.awaitStatus(managed, "online");
            platform.say(managed, "hello");
            return managed;
        });
        triggers.put("work handed on", () -> {
            colleague = platform.create("Colleague", "echo", null);
            platform.awaitStatus(colleague, "online");
            return delegate(colleague);
        });
        triggers.put("work handed on to one that is there", () -> delegate(colleague));
        triggers.put("work handed on and done", () -> delegate(colleague));
        triggers.put("work handed on to one it may not talk to", () -> delegate(outsider));
        triggers.put("its process killed", () -> {
            platform.agentProcess(managed).destroyForcibly();
            return managed;
        });
        triggers.put("workspace paused", () -> {
            platform.awaitStatus(managed, "online");
            return post(managed, "pause", "");
        });
        triggers.put("workspace expanded", () -> {
            template("team", "name: Echo\nsub_workspaces: [{name: Helper, role: helps}]\n");
            return post(managed, "expand", "");
        });
        triggers.put("workspace collapsed", () -> post(managed, "collapse", ""));
        triggers.put("runtime asked for that nothing here runs", () -> platform.create("Odd", "nobodys", null));
        triggers.put("workspace deleted", () -> {
            platform.delete("/workspaces/" + managed);
            return managed;
        });
    }

    private Supplier<String> trigger(Row row) {
        return triggers.getOrDefault(row.trigger, () -> {
            throw new AssertionError("no trigger named " + row.trigger);
        });
    }

    private JsonNode create(String name, String more) {
        return platform.post(201, "/workspaces", "{\"name\":\"%s\",\"external\":true%s}".formatted(name, more));
    }

    private String tell(String workspaceId, String what, String body) {
        platform.post(200, "/registry/" + what, body, token);
        return workspaceId;
    }

    private String beat(String members) {
        return tell(outsider, "heartbeat", "{\"workspace_id\":\"%s\",%s}".formatted(outsider, members));
    }

    private String post(String workspaceId, String what, String body) {
        platform.post(200, "/workspaces/%s/%s".formatted(workspaceId, what), body);
        return workspaceId;
    }

    private String ask(String workspaceId) {
        platform.post(201, "/workspaces/%s/approvals".formatted(workspaceId), "{\"action\":\"deploy\"}");
        return workspaceId;
    }

    /** Asks for one more and decides it. */
    private String decide(String workspaceId, String decision) {
        var asked = platform.post(201, "/workspaces/%s/approvals".formatted(workspaceId), "{\"action\":\"deploy\"}");
        return post(
                workspaceId,
                "approvals/%s/decide".formatted(asked.get("approval_id").asText()),
                "{\"decision\":\"%s\"}".formatted(decision));
    }

    private String delegate(String target) {
        platform.post(
                202,
                "/workspaces/%s/delegate".formatted(managed),
                "{\"target_id\":\"%s\",\"task\":\"look\"}".formatted(target));
        return managed;
    }

    private String patch(String workspaceId, String body) {
        platform.patch("/workspaces/" + workspaceId, body);
        return workspaceId;
    }

    /** Keeps the chart with its moment, when nothing changed around that moment. */
    private void template(String folder, String config) {
        try {
            var template = Files.createDirectories(platform.data().resolve("templates/" + folder));
            Files.writeString(template.resolve("config.yaml"), config);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void remember() {
        var before = orgNow();
        var moment = Instant.now();
        if (orgNow().equals(before)) {
            past.put(moment, before);
        }
    }

    private Map<String, String> orgNow() {
        return lines(platform.get("/workspaces"));
    }

    private Map<String, String> orgAt(Instant moment) {
        return lines(platform.get("/org?at=" + moment).get("workspaces"));
    }

    private static Map<String, String> lines(JsonNode workspaces) {
        var lines = new HashMap<String, String>();
        workspaces.forEach(one -> lines.put(
                one.get("id").asText(),
                "%s under %s is %s"
                        .formatted(
                                one.get("name").asText(),
                                one.get("parent_id").asText(),
                                one.get("status").asText())));
        return lines;
    }

    private static List<JsonNode> payloads(EventStream canvas, String event, String workspaceId) {
        return canvas.events().stream()
                .filter(one -> event.equals(one.get("event").asText())
                        && workspaceId.equals(one.get("workspace_id").asText()))
                .map(one -> one.get("payload"))
                .toList();
    }

    private static List<String> namesOf(JsonNode payload) {
        var names = new ArrayList<String>();
        payload.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static List<Row> rows() {
        try (var text = EventCatalogueIT.class.getResourceAsStream("catalogue.txt")) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split("\\|", -1))
                    .map(cells -> new Row(cells[0].strip(), cells[1].strip(), wordsOf(cells[2])))
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Set<String> wordsOf(String cell) {
        return cell.isBlank() ? Set.of() : Set.copyOf(Arrays.asList(cell.strip().split(" +", -1)));
    }
}
