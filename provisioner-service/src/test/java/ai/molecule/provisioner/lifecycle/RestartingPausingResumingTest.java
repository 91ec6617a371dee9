package ai.molecule.provisioner.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.NoBackend;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The lifecycle routes as a client sees them, with real processes behind. */
@ExtendWith(VertxExtension.class)
class RestartingPausingResumingTest {

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
        serve(provisioning.backend());
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @Test
    void a_restart_is_on_its_way_when_it_is_answered() {
        var id = provisioning.running();

        assertThat(post(id, "restart"))
                .isEqualTo(
                        "200 {\"status\":\"provisioning\",\"config_dir\":\"existing-volume\",\"reset_session\":false}");

        assertThat(provisioning.registry.get(id).incarnation()).isEqualTo(2);
    }

    @Test
    void a_restart_takes_the_runtime_from_the_agents_own_config() throws IOException {
        var id = provisioning.running();
        Files.writeString(data.resolve("workspaces/" + id + "/configs/config.yaml"), "name: x\nruntime: delegate\n");

        post(id, "restart");

        assertThat(provisioning.registry.wishes())
                .containsExactly(new SetDesired(id, SetDesired.Action.RESTART, "delegate", null));
    }

    @Test
    void a_restart_keeps_a_runtime_that_was_chosen_after_the_config_named_another() throws IOException {
        var id = provisioning.running();
        provisioning.registry.choose(id, "delegate", "echo");
        Files.writeString(data.resolve("workspaces/" + id + "/configs/config.yaml"), "name: x\nruntime: echo\n");

        post(id, "restart");

        assertThat(provisioning.registry.wishes())
                .containsExactly(new SetDesired(id, SetDesired.Action.RESTART, null, null));
    }

    @Test
    void the_registry_hears_whether_a_branch_asks_or_the_organization() {
        var id = provisioning.running();
        provisioning.registry.person("kims", person(null, id));
        provisioning.registry.person("olgas", person(Role.OPERATOR, id));
        provisioning.registry.person("both", person(Role.VIEWER, id));

        for (String bearer : List.of("kims", "olgas", "both")) {
            for (String what : List.of("pause", "resume", "restart")) {
                client.post("/workspaces/" + id + "/" + what)
                        .bearerTokenAuthentication(bearer)
                        .send()
                        .await();
            }
        }

        assertThat(provisioning.registry.wishes())
                .extracting(SetDesired::ofBranch)
                .containsExactly(true, true, true, false, false, false, true, true, true);
    }

    private static Person person(@Nullable Role organisation, UUID branch) {
        return new Person(
                UUID.randomUUID(), "kim", "Kim", organisation, Role.OPERATOR, List.of(branch), "session:0123abcd");
    }

    @Test
    void a_pause_is_answered_after_every_process_has_ended() {
        var parent = provisioning.running();
        var child = provisioning.running(provisioning.registry.create("delegate", parent));
        long pid = provisioning.pid(parent);
        long childPid = provisioning.pid(child);

        assertThat(post(parent, "pause")).isEqualTo("200 {\"status\":\"paused\",\"paused_count\":2}");

        assertThat(Processes.alive(pid)).isFalse();
        assertThat(Processes.alive(childPid)).isFalse();
    }

    @Test
    void a_resume_says_how_many_run_again() {
        var id = provisioning.running();
        post(id, "pause");

        assertThat(post(id, "resume")).isEqualTo("200 {\"status\":\"provisioning\",\"resumed_count\":1}");

        provisioning.reconcile(id);
        assertThat(Processes.alive(provisioning.pid(id))).isTrue();
    }

    @Test
    void the_registrys_refusals_reach_the_client() {
        assertThat(post(UUID.randomUUID(), "restart")).isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertThat(client.post("/workspaces/7/pause").send().await().bodyAsString())
                .isEqualTo("{\"error\":\"invalid workspace ID\"}");
    }

    @Test
    void without_a_backend_only_pausing_works() {
        var id = provisioning.running();
        serve(new NoBackend());

        assertThat(post(id, "restart")).isEqualTo("503 {\"error\":\"provisioner not available\"}");
        assertThat(post(id, "resume")).isEqualTo("503 {\"error\":\"provisioner not available\"}");
        assertThat(post(id, "pause")).isEqualTo("200 {\"status\":\"paused\",\"paused_count\":1}");
    }

    @Test
    void a_wrong_bearer_changes_nothing() {
        var id = provisioning.running();

        var response = client.post("/workspaces/" + id + "/pause")
                .bearerTokenAuthentication("garbage")
                .send()
                .await();

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(provisioning.registry.wishes()).isEmpty();
    }

    private void serve(Backend backend) {
        client = provisioning.serve(backend);
    }

    private String post(UUID id, String what) {
        var response = client.post("/workspaces/" + id + "/" + what).send().await();
        return response.statusCode() + " " + response.bodyAsString();
    }
}
