package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.provisioner.WriteSettingsFiles;
import ai.molecule.common.bus.registry.NoteSettingsFile;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code /workspaces/:id/versions}: every change of an agent's settings, and the way back. */
class KeepingVersionsTest {

    private static final List<WriteSettingsFiles> WRITTEN = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
        registry.bus
                .serve(WriteSettingsFiles.CONTRACT, wanted -> {
                    WRITTEN.add(wanted);
                    return Future.succeededFuture(
                            new WriteSettingsFiles.Written(wanted.contents().size()));
                })
                .await();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void every_kind_of_change_is_a_version_with_who_made_it_and_what_it_changed() {
        String id = registry.create("Writer");
        registry.patch("/workspaces/" + id, "{\"name\":\"Author\",\"role\":\"writes\"}", ADMIN);
        registry.patch("/workspaces/" + id + "/config", "{\"tone\":\"dry\"}", ADMIN);
        registry.patch("/workspaces/" + id + "/budget", "{\"budget_limit\":500}", ADMIN);
        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"API\",\"value\":\"hush-hush\"}", ADMIN);
        registry.send(HttpMethod.PUT, "/workspaces/" + id + "/model", "{\"model\":\"anthropic:x\"}", ADMIN);

        assertThat(changes(id))
                .containsExactly(
                        "6 admin-token model null>\"anthropic:x\" secrets.MODEL_PROVIDER",
                        "5 admin-token secrets.API",
                        "4 admin-token budget_limit null>500",
                        "3 admin-token config.tone null>\"dry\"",
                        "2 admin-token name \"Writer\">\"Author\" role null>\"writes\"",
                        "1 platform");
        assertThat(registry.get("/workspaces/" + id + "/versions/6", ADMIN).body())
                .contains("\"API\":\"2")
                .doesNotContain("hush-hush");
    }

    @Test
    void what_leaves_everything_as_it_was_is_no_version() {
        String id = registry.create("Writer");
        registry.patch("/workspaces/" + id, "{\"name\":\"Writer\",\"x\":5,\"y\":6,\"collapsed\":true}", ADMIN);
        registry.patch("/workspaces/" + id + "/config", "{}", ADMIN);
        registry.beat(id, "", null);

        assertThat(changes(id)).containsExactly("1 platform");
    }

    @Test
    void an_earlier_version_is_restored_at_once_and_that_is_a_version_too() {
        String id = registry.create("Writer");
        registry.patch("/workspaces/" + id + "/config", "{\"tone\":\"dry\"}", ADMIN);
        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"API\",\"value\":\"v\"}", ADMIN);
        registry.send(HttpMethod.PUT, "/workspaces/" + id + "/model", "{\"model\":\"anthropic:x\"}", ADMIN);
        registry.delete("/workspaces/" + id + "/secrets/API", ADMIN);
        registry.patch("/workspaces/" + id, "{\"name\":\"Author\",\"tier\":2}", ADMIN);
        registry.patch("/workspaces/" + id + "/config", "{\"tone\":\"warm\",\"more\":1}", ADMIN);
        registry.patch("/workspaces/" + id + "/budget", "{\"budget_limit\":500}", ADMIN);
        registry.send(HttpMethod.PUT, "/workspaces/" + id + "/model", "{\"model\":\"\"}", ADMIN);

        var restored = registry.post("/workspaces/" + id + "/versions/4/restore", "", ADMIN);

        assertThat(restored)
                .hasToString(
                        "200 {\"status\":\"restored\",\"n\":10,\"restored_from\":4,\"needs_restart\":true,\"missing_secrets\":[\"API\"]}");
        assertThat(registry.see(id).path("name").asText()).isEqualTo("Writer");
        assertThat(registry.get("/workspaces/" + id + "/config", ADMIN).body())
                .isEqualTo("{\"data\":{\"tone\":\"dry\"}}");
        assertThat(registry.get("/workspaces/" + id + "/budget", ADMIN).text("budget_limit"))
                .isIn("null", "");
        assertThat(registry.get("/workspaces/" + id + "/model", ADMIN).text("model"))
                .isEqualTo("anthropic:x");
        var newest = versions(id).path(0);
        assertThat(newest.path("restored_from").asInt()).isEqualTo(4);
        assertThat(registry.eventTypes(id)).contains("WORKSPACE_UPDATED");
    }

    @Test
    void settings_files_are_versions_from_what_they_held_before_and_are_written_back() {
        String id = registry.create("Writer");
        note(id, "name: a", "name: b");
        note(id, "name: b", "name: c");

        assertThat(changes(id))
                .containsExactly(
                        "4 admin-token files.config.yaml \"name: b\">\"name: c\"",
                        "3 admin-token files.config.yaml \"name: a\">\"name: b\"",
                        "2 platform files.config.yaml null>\"name: a\"",
                        "1 platform");

        registry.post("/workspaces/" + id + "/versions/2/restore", "", ADMIN);

        assertThat(WRITTEN.getLast().workspaceId()).hasToString(id);
        assertThat(WRITTEN.getLast().contents().toString()).isEqualTo("{config.yaml=name: a}");
        assertThat(changes(id).getFirst()).isEqualTo("5 admin-token files.config.yaml \"name: c\">\"name: a\"");
    }

    @Test
    void only_the_newest_hundred_are_kept_and_pages_meet() {
        String id = registry.create("Writer");
        for (int i = 0; i < 105; i++) {
            registry.patch("/workspaces/" + id + "/config", "{\"n\":%d}".formatted(i), ADMIN);
        }

        List<Integer> seen = new ArrayList<>();
        String before = "";
        do {
            var page = registry.get("/workspaces/" + id + "/versions?limit=30" + before, ADMIN)
                    .json();
            page.path("versions").forEach(version -> seen.add(version.path("n").asInt()));
            before = page.path("next").isNull()
                    ? ""
                    : "&before=" + page.path("next").asInt();
        } while (!before.isEmpty());
        assertThat(seen).hasSize(100).startsWith(106, 105).endsWith(8, 7);
    }

    @Test
    void what_is_not_there_is_not_found_and_an_agent_reads_its_own_and_restores_nothing() {
        String id = registry.create("Writer");
        String token = registry.token(id);

        assertThat(registry.get("/workspaces/" + id + "/versions/9", ADMIN))
                .hasToString("404 {\"error\":\"version not found\"}");
        assertThat(registry.get("/workspaces/" + id + "/versions/x", ADMIN))
                .hasToString("404 {\"error\":\"version not found\"}");
        assertThat(registry.get("/workspaces/" + UUID.randomUUID() + "/versions", ADMIN))
                .hasToString("404 {\"error\":\"workspace not found\"}");
        assertThat(registry.get("/workspaces/" + id + "/versions?before=x", ADMIN))
                .hasToString("400 {\"error\":\"before must be a whole number, at least 1\"}");
        assertThat(registry.get("/workspaces/" + id + "/versions", token).status())
                .isEqualTo(200);
        assertThat(registry.post("/workspaces/" + id + "/versions/1/restore", "", token)
                        .status())
                .isEqualTo(401);
    }

    private static void note(String id, String before, String after) {
        registry.bus
                .call(
                        NoteSettingsFile.CONTRACT,
                        new NoteSettingsFile(UUID.fromString(id), "config.yaml", before, after, "admin-token"))
                .await();
    }

    private static JsonNode versions(String id) {
        return registry.get("/workspaces/" + id + "/versions", ADMIN).json().path("versions");
    }

    /** A line a version: its number, who, and each setting with what it was and is; of secrets the names. */
    private static List<String> changes(String id) {
        List<String> lines = new ArrayList<>();
        for (var version : versions(id)) {
            var line = new StringBuilder(version.path("n").asText() + " "
                    + version.path("changed_with").asText());
            for (var change : version.path("changes")) {
                String setting = change.path("setting").asText();
                line.append(' ').append(setting);
                if (!setting.startsWith("secrets.")) {
                    line.append(' ').append(change.path("from")).append('>').append(change.path("to"));
                }
            }
            lines.add(line.toString());
        }
        return lines;
    }
}
