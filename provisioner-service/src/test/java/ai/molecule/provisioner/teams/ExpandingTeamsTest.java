package ai.molecule.provisioner.teams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Expand, collapse and restarts by template, as a client sees them. */
@ExtendWith(VertxExtension.class)
class ExpandingTeamsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    @BeforeEach
    void start(Vertx vertx) {
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start();
        client = provisioning.serve(provisioning.backend());
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @Test
    void the_team_its_template_names_is_created_below_it_as_the_members_templates_say() throws IOException {
        var id = provisioning.registry.create("echo");
        template("lead", """
                name: '%s'
                sub_workspaces:
                  - {config: scout, name: Scout One, role: finds}
                  - {config: nowhere}
                """.formatted(provisioning.registry.get(id).name()));
        template("scout", "runtime: delegate\nmodel: small\n");

        String answer = post(id, "expand", "");

        var creation = provisioning.registry.imports.requests().getFirst();
        assertThat(creation.expanded()).isEqualTo(id);
        assertThat(creation.workspaces()).extracting(Item::name).containsExactly("Scout One", "nowhere");
        assertThat(creation.workspaces()).extracting(Item::parentId).containsOnly(id);
        var scout = creation.workspaces().getFirst().agent();
        assertThat(scout.runtime()).isEqualTo("delegate");
        assertThat(scout.model()).isEqualTo("small");
        assertThat(scout.template()).isEqualTo("scout");
        assertThat(scout.tier()).isEqualTo(2);
        assertThat(creation.workspaces().getLast().agent().template()).isNull();
        assertThat(answer)
                .isEqualTo(
                        ("200 {\"status\":\"expanded\",\"children\":[{\"id\":\"%s\",\"name\":\"Scout One\",\"role\":\"finds\"},"
                                        + "{\"id\":\"%s\",\"name\":\"nowhere\",\"role\":null}]}")
                                .formatted(
                                        creation.workspaces().getFirst().id(),
                                        creation.workspaces().getLast().id()));
    }

    @Test
    void a_member_that_is_a_program_too_large_for_the_teams_tier_is_refused_in_words() throws IOException {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/prlimit")),
                "this machine has no prlimit, so it holds nobody back");
        var id = provisioning.registry.create("echo");
        template("lead", """
                name: '%s'
                sub_workspaces: [{config: programmer, name: Programmer}]
                """.formatted(provisioning.registry.get(id).name()));
        template("programmer", "runtime: claude-code\n");

        assertThat(post(id, "expand", ""))
                .startsWith("400 {\"error\":\"claude-code needs 1024 MB of memory, and tier 2 has 512 MB here");
        assertThat(provisioning.registry.imports.requests()).isEmpty();
    }

    @Test
    void without_a_template_or_a_team_in_it_nothing_is_created() throws IOException {
        var id = provisioning.registry.create("echo");
        String name = provisioning.registry.get(id).name();

        assertThat(post(id, "expand", "")).isEqualTo("400 {\"error\":\"no config found for workspace\"}");
        template("lead", "name: '" + name + "'\n");
        assertThat(post(id, "expand", ""))
                .isEqualTo("400 {\"error\":\"workspace has no sub_workspaces defined in config\"}");
        template("lead", "name: '" + name + "'\nsub_workspaces: [{config: ../../etc, name: x}]\n");
        assertThat(post(id, "expand", "")).isEqualTo("400 {\"error\":\"invalid template\"}");
        assertThat(post(UUID.randomUUID(), "expand", "")).isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertThat(provisioning.registry.imports.requests()).isEmpty();
    }

    @Test
    void a_team_does_not_grow_without_end_however_often_it_is_expanded() throws IOException {
        var id = provisioning.registry.create("echo");
        template(
                "lead",
                "name: '%s'\nsub_workspaces: [{config: a}, {config: b}]\n"
                        .formatted(provisioning.registry.get(id).name()));
        assertThat(post(id, "expand", "")).startsWith("200 ");
        assertThat(post(id, "expand", "")).startsWith("200 ");

        assertThat(post(id, "expand", ""))
                .isEqualTo("409 {\"error\":\"workspace has 4 children and may have %d\"}"
                        .formatted(Provisioning.CHILDREN_MAX));
        assertThat(provisioning.registry.imports.requests()).hasSize(2);
    }

    @Test
    void two_expansions_at_once_are_one() throws IOException {
        var id = provisioning.registry.create("echo");
        template(
                "lead",
                "name: '%s'\nsub_workspaces: [{config: a}, {config: b}, {config: c}]\n"
                        .formatted(provisioning.registry.get(id).name()));

        var both = Future.join(
                        client.post("/workspaces/%s/expand".formatted(id)).send(),
                        client.post("/workspaces/%s/expand".formatted(id)).send())
                .await();

        assertThat(both.<HttpResponse<Buffer>>list())
                .extracting(HttpResponse::statusCode)
                .contains(200, 409);
        assertThat(provisioning.registry.imports.requests()).hasSize(1);
    }

    @Test
    void in_production_an_agent_expands_nobody_and_an_administrator_does() throws IOException {
        client = provisioning.production().serve(provisioning.backend());
        var id = provisioning.registry.create("echo");
        provisioning.registry.bearer("its-own", id);
        template(
                "lead",
                "name: '%s'\nsub_workspaces: [{config: a}]\n"
                        .formatted(provisioning.registry.get(id).name()));

        assertThat(expandAs("its-own", id))
                .isEqualTo("403 {\"error\":\"an agent does not expand itself in production\"}");
        assertThat(provisioning.registry.imports.requests()).isEmpty();
        assertThat(expandAs(Provisioning.ADMIN_TOKEN, id)).startsWith("200 ");
    }

    private String expandAs(String bearer, UUID id) {
        var answer = client.post("/workspaces/%s/expand".formatted(id))
                .bearerTokenAuthentication(bearer)
                .send()
                .await();
        return answer.statusCode() + " " + answer.bodyAsString();
    }

    @Test
    void collapsing_is_answered_when_nothing_below_runs_any_more() {
        var id = provisioning.registry.create("echo");
        var child = provisioning.registry.create("echo", id);
        provisioning.reconcile(child);
        long pid = provisioning.pid(child);
        String name = provisioning.registry.get(child).name();

        String answer = post(id, "collapse", "");

        assertThat(answer)
                .isEqualTo("200 "
                        + Json.object()
                                .put("status", "collapsed")
                                .set("removed", Json.MAPPER.createArrayNode().add(name)));
        assertThat(Processes.alive(pid)).isFalse();
        assertThat(data.resolve("workspaces/" + child)).doesNotExist();
        assertThat(post(UUID.randomUUID(), "collapse", "")).isEqualTo("404 {\"error\":\"workspace not found\"}");
    }

    @Test
    void a_restart_puts_the_named_template_over_the_configs_and_takes_its_runtime() throws IOException {
        var id = provisioning.running();
        template("analyst", "name: Analyst\nruntime: delegate\n");

        assertThat(post(id, "restart", "{\"template\":\"analyst\"}"))
                .isEqualTo("200 {\"status\":\"provisioning\",\"config_dir\":\"analyst\",\"reset_session\":false}");

        assertThat(data.resolve("workspaces/" + id + "/configs/config.yaml"))
                .hasContent("name: Analyst\nruntime: delegate\n");
        assertThat(provisioning.registry.wishes().getLast().runtime()).isEqualTo("delegate");
    }

    @Test
    void a_plain_restart_leaves_the_configs_alone_and_a_reset_forgets_the_sessions() throws IOException {
        var id = provisioning.running();
        var home = data.resolve("workspaces/" + id + "/workspace");
        var session = Files.createDirectories(home.resolve(".claude/sessions")).resolve("one.json");
        Files.writeString(session, "{}");

        assertThat(post(id, "restart", ""))
                .isEqualTo(
                        "200 {\"status\":\"provisioning\",\"config_dir\":\"existing-volume\",\"reset_session\":false}");
        assertThat(session).exists();
        assertThat(post(id, "restart", "{\"reset\":true}"))
                .isEqualTo(
                        "200 {\"status\":\"provisioning\",\"config_dir\":\"existing-volume\",\"reset_session\":true}");
        assertThat(session).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"template\":7}", "{\"reset\":\"yes\"}", "[]", "{", "{\"apply_template\":1}"})
    void a_bad_body_restarts_nothing(String body) {
        var id = provisioning.running();

        assertThat(post(id, "restart", body)).isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(post(id, "restart", "{\"template\":\"../../etc\"}"))
                .isEqualTo("400 {\"error\":\"invalid template\"}");

        assertThat(provisioning.registry.wishes()).isEmpty();
        assertThat(Processes.alive(provisioning.pid(id))).isTrue();
    }

    private void template(String folder, String config) throws IOException {
        var templates = Files.createDirectories(data.resolve("templates").resolve(folder));
        Files.writeString(templates.resolve("config.yaml"), config);
    }

    private String post(UUID id, String what, String body) {
        var response = client.post("/workspaces/" + id + "/" + what)
                .sendBuffer(Buffer.buffer(body))
                .await();
        return response.statusCode() + " " + response.bodyAsString();
    }
}
