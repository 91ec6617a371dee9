package ai.molecule.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadingFromFilesTest {

    @TempDir
    Path folder;

    @Test
    void a_value_may_come_from_a_file_without_its_line_end() throws Exception {
        var file = Files.writeString(folder.resolve("token"), "secret\n");

        assertThat(new Env(Map.of("ADMIN_TOKEN_FILE", file.toString())).find("ADMIN_TOKEN"))
                .isEqualTo("secret");
    }

    @Test
    void the_variable_itself_wins() throws Exception {
        var file = Files.writeString(folder.resolve("token"), "from the file");

        assertThat(new Env(Map.of("ADMIN_TOKEN", "said", "ADMIN_TOKEN_FILE", file.toString())).find("ADMIN_TOKEN"))
                .isEqualTo("said");
    }

    @Test
    void a_file_that_is_missing_too_endlessor_no_file_at_all_is_named_and_not_taken_for_an_empty_value()
            throws Exception {
        var endless = Files.write(folder.resolve("long"), new byte[(64 << 10) + 1]);

        for (var path :
                new String[] {folder.resolve("absent").toString(), endless.toString(), folder.toString(), "a\0b"}) {
            assertThatThrownBy(() -> new Env(Map.of("ADMIN_TOKEN_FILE", path)).find("ADMIN_TOKEN"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("ADMIN_TOKEN_FILE must name a readable file");
        }
    }
}
