package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.provisioner.ProvisionTimeouts;
import io.vertx.core.Future;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Clients are told how long an agent may take to start, where a template says so. */
class TellingStartTimesTest {

    @Test
    void a_workspace_whose_runtime_a_template_knows_shows_the_time_and_others_show_none() {
        try (var registry = RunningRegistry.start()) {
            registry.bus
                    .serve(
                            ProvisionTimeouts.CONTRACT,
                            question -> Future.succeededFuture(new ProvisionTimeouts.Answer(Map.of("codex", 1_200L))))
                    .await();
            String slow = registry.create("Slow", "\"runtime\":\"codex\"");
            String usual = registry.create("Usual", "\"runtime\":\"echo\"");

            var listed = registry.get("/workspaces", ADMIN).json();

            assertThat(StreamSupport.stream(listed.spliterator(), false)
                            .filter(workspace -> workspace.has("provision_timeout_ms"))
                            .map(workspace -> workspace.path("id").asText() + " "
                                    + workspace.path("provision_timeout_ms").asLong()))
                    .containsExactly(slow + " 1200000");
            assertThat(registry.see(slow).path("provision_timeout_ms").asLong()).isEqualTo(1_200_000);
            assertThat(registry.see(usual).has("provision_timeout_ms")).isFalse();
        }
    }

    @Test
    void while_nobody_can_say_nothing_is_said() {
        try (var registry = RunningRegistry.start()) {
            String id = registry.create("Slow", "\"runtime\":\"codex\"");

            assertThat(registry.see(id).has("provision_timeout_ms")).isFalse();
        }
    }
}
