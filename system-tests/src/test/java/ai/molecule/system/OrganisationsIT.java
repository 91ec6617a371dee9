package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Organisations as a person imports them, against the whole platform. */
@Tag("full")
@ExtendWith(SharedPlatform.class)
class OrganisationsIT {

    @TempDir
    private static Path folder;

    private static Platform platform;

    @BeforeAll
    static void start(Platform shared) {
        platform = shared;
    }

    @Test
    void the_studio_comes_online_under_its_leads_and_answers() throws IOException {
        var imported = Launcher.run(
                "org", "import", "studio", "--data", platform.data().toString());

        assertThat(imported.exitCode()).as(imported.err()).isZero();
        assertThat(imported.out().lines()).hasSize(11);
        Map<String, String> ids = new HashMap<>();
        imported.out().lines().forEach(line -> ids.put(line.substring(38), line.substring(0, 36)));
        ids.values().forEach(id -> platform.awaitStatus(id, "online"));
        assertThat(platform.get("/workspaces/" + ids.get("Test Engineer") + "/schedules")
                        .findValuesAsText("name"))
                .containsExactly("nightly");
        assertThat(parentOf(ids.get("Support"))).isEqualTo(ids.get("Customer Lead"));
        assertThat(parentOf(ids.get("Customer Lead"))).isEqualTo(ids.get("Director"));
        assertThat(parentOf(ids.get("Director"))).isEqualTo("");
        assertThat(platform.say(ids.get("Engineering Lead"), "ask Test Engineer: is it green?"))
                .contains("is it green?");
        var configs = platform.data()
                .resolve("workspaces")
                .resolve(ids.get("Director"))
                .resolve("configs");
        assertThat(configs.resolve("system-prompt.md")).content().contains("You direct a software studio");
        assertThat(configs.resolve("config.yaml")).content().contains("runtime: delegate\n", "category_routing:");
        assertThat(platform.get("/workspaces/" + ids.get("Director") + "/memories?scope=GLOBAL"))
                .hasSize(2);

        bundleGoesOutAndIn(ids.get("Product Lead"));
        platform.delete("/workspaces/" + ids.get("Director") + "?confirm=true");
    }

    @Test
    void a_program_that_needs_more_than_its_tier_is_refused_before_anything_is_made() {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/prlimit")),
                "this machine has no prlimit, so it holds nobody back");
        String words = "claude-code needs 1024 MB of memory, and tier 2 has 512 MB here: give it tier 3";
        String echo = platform.create("Small", "echo", null);
        platform.patch("/workspaces/" + echo, "{\"tier\":2}");
        int before = platform.get("/workspaces").size();

        var created = platform.post(400, "/workspaces", "{\"name\":\"a\",\"runtime\":\"claude-code\",\"tier\":2}");
        var templated =
                platform.post(400, "/workspaces", "{\"name\":\"a\",\"template\":\"claude-code-default\",\"tier\":2}");
        var patched = platform.patch(400, "/workspaces/" + echo, "{\"runtime\":\"claude-code\"}");

        assertThat(List.of(created, templated, patched))
                .allSatisfy(
                        refused -> assertThat(refused.path("error").asText()).startsWith(words));
        assertThat(platform.get("/workspaces")).hasSize(before);
    }

    private void bundleGoesOutAndIn(String lead) {
        var bundle = platform.get("/bundles/export/" + lead);

        var created = platform.post(201, "/bundles/import", bundle.toString());

        String copy = created.path("workspace_id").asText();
        assertThat(created.path("children")).hasSize(2);
        platform.awaitStatus(copy, "online");
        assertThat(withoutIds(platform.get("/bundles/export/" + copy))).isEqualTo(withoutIds(bundle));
        platform.delete("/workspaces/" + copy + "?confirm=true");
    }

    @Test
    void two_hundred_that_wait_are_there_as_their_file_says_and_one_resume_would_start_them() {
        var leads = new StringBuilder(
                "name: Crowd\ndefaults: {runtime: echo, hibernation_idle_minutes: 90}\nworkspaces:\n  - name: Top\n    children:\n");
        for (int lead = 0; lead < 9; lead++) {
            leads.append("      - name: Lead %d\n        hibernation_idle_minutes: %d\n        children:\n"
                    .formatted(lead, 60 + lead));
            for (int i = 0; i < (lead == 0 ? 22 : 21); i++) {
                leads.append("          - {name: Worker %d-%d, role: works}\n".formatted(lead, i));
            }
        }
        var body = Platform.JSON.createObjectNode().put("start", false);
        body.putObject("files").put("org.yaml", leads.toString());

        var imported = platform.post(201, "/org/import", body.toString());

        assertThat(imported.path("count").asInt()).isEqualTo(200);
        String top = imported.path("workspaces").path(0).path("id").asText();
        String last = imported.path("workspaces").path(199).path("id").asText();
        assertThat(platform.status(last)).isEqualTo("paused");
        assertThat(idleMinutes(top)).isEqualTo(90);
        assertThat(idleMinutes(last)).isEqualTo(68);
        assertThat(platform.data().resolve("workspaces/" + last + "/configs/config.yaml"))
                .content()
                .contains("name: \"Worker 8-20\"");
        assertThat(platform.delete("/workspaces/" + top + "?confirm=true")
                        .path("cascade_deleted")
                        .asInt())
                .isEqualTo(199);
    }

    private static int idleMinutes(String id) {
        return platform.get("/workspaces/" + id + "/hibernation")
                .path("effective_idle_minutes")
                .asInt();
    }

    @Test
    void what_needs_a_secret_waits_for_it_and_what_is_hostile_is_refused() throws IOException {
        var needy = Files.createDirectory(folder.resolve("needy"));
        Files.writeString(
                needy.resolve("org.yaml"), "required_env: [SOME_KEY]\nworkspaces: [{name: Needy, runtime: echo}]");
        var hostile = Files.writeString(
                folder.resolve("hostile.yaml"), "a: &a [x,x]\nworkspaces: &w [{name: a, children: *w}]");

        var refused = importing(needy.toString());
        var forced = importing(needy.toString(), "--force", "--no-start");
        var bomb = importing(hostile.toString());

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("missing required environment variables", "SOME_KEY", "--force");
        assertThat(forced.exitCode()).as(forced.err()).isZero();
        assertThat(forced.err()).contains("are paused");
        assertThat(bomb.exitCode()).isEqualTo(2);
        assertThat(bomb.err()).contains("invalid org template");
        platform.delete("/workspaces/" + forced.out().substring(0, 36));
        assertThat(platform.get("/workspaces").findValuesAsText("name")).doesNotContain("a");
    }

    private static Launcher.Result importing(String path, String... options) {
        var arguments = new ArrayList<>(
                List.of("org", "import", path, "--data", platform.data().toString()));
        arguments.addAll(List.of(options));
        return Launcher.run(arguments.toArray(String[]::new));
    }

    private static String parentOf(String id) {
        return platform.get("/workspaces/" + id).path("parent_id").asText("").replace("null", "");
    }

    private static JsonNode withoutIds(JsonNode bundle) {
        ((ObjectNode) bundle).remove("id");
        ((ObjectNode) bundle).remove("agent_card");
        bundle.path("sub_workspaces").forEach(OrganisationsIT::withoutIds);
        return bundle;
    }
}
