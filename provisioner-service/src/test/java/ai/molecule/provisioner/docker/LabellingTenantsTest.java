package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.testing.WorkspaceBuilder;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Whose an agent's container is stands on it, and is no part of how it is known. */
class LabellingTenantsTest {

    @Test
    void a_container_carries_its_tenant_and_is_ours_with_and_without() {
        var id = UUID.randomUUID();
        var names = new Names("here");
        var acmes = WorkspaceBuilder.workspace(id).tenant("acme", null).build();

        assertThat(names.labels(acmes).getString("molecule.tenant")).isEqualTo("acme");
        assertThat(names.labels(WorkspaceBuilder.workspace(id).build())).isEqualTo(names.labels(id));
        assertThat(names.isOurs(names.labels(acmes), id)).isTrue();
    }
}
