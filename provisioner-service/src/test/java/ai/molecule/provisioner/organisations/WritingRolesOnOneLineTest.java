package ai.molecule.provisioner.organisations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** A role is a line, however it was written. */
class WritingRolesOnOneLineTest {

    @Test
    void lines_of_a_role_become_one() {
        assertThat(roleOf(" Reads\r\n  and writes \n\n what it is told\n"))
                .isEqualTo("Reads and writes what it is told");
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void a_role_of_blanks_is_read_like_another() {
        String blanks = " ".repeat(2_000_000);

        assertThat(roleOf("a" + blanks + "b")).isEqualTo("a" + blanks + "b");
        assertThat(roleOf("a" + "\n ".repeat(1_000_000) + "b")).isEqualTo("a b");
    }

    private static String roleOf(String role) {
        var workspaces = Json.MAPPER.createArrayNode();
        workspaces.addObject().put("name", "a").put("role", role);
        return String.valueOf(OrgWorkspace.allOf(workspaces).getFirst().role());
    }
}
