package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets that come in a file. */
class HandedOverTest {

    @TempDir
    private Path folder;

    @Test
    void secrets_join_the_environment_and_their_file_is_gone() throws Exception {
        Path file = Files.writeString(
                folder.resolve("secrets.json"), "{\"API_KEY\":\"s \\\"quoted\\\"\\nline\",\"WORKSPACE_ID\":\"other\"}");

        var environment = HandedOver.addedTo(Map.of("WORKSPACE_ID", "ws-1", "MOLECULE_SECRETS_FILE", file.toString()));

        assertThat(environment)
                .containsExactlyInAnyOrderEntriesOf(Map.of("WORKSPACE_ID", "ws-1", "API_KEY", "s \"quoted\"\nline"));
        assertThat(file).doesNotExist();
    }

    @Test
    void without_a_file_the_environment_is_as_it_is() {
        assertThat(HandedOver.addedTo(Map.of("API_KEY", "x"))).isEqualTo(Map.of("API_KEY", "x"));
    }

    @Test
    void a_file_that_cannot_be_read_is_a_sentence_without_a_secret_in_it() throws Exception {
        Path broken = Files.writeString(folder.resolve("broken"), "{\"API_KEY\": hush");

        for (Path file : new Path[] {broken, folder.resolve("absent")}) {
            assertThatThrownBy(() -> HandedOver.addedTo(Map.of("MOLECULE_SECRETS_FILE", file.toString())))
                    .isInstanceOf(PreflightFailure.class)
                    .hasMessageStartingWith("MOLECULE_SECRETS_FILE cannot be read: ")
                    .hasMessageNotContaining("hush");
        }
    }
}
