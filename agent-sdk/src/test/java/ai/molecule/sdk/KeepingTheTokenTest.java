package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeepingTheTokenTest {

    @TempDir
    private Path home;

    @Test
    void a_token_never_saved_is_absent() {
        assertThat(TokenFile.in(home.resolve("none")).load()).isEmpty();
    }

    @Test
    void a_saved_token_is_stripped_and_stored_without_a_newline() throws Exception {
        var file = TokenFile.in(home);

        file.save("  secret\n");

        assertThat(Files.readString(file.path())).isEqualTo("secret");
        assertThat(file.load()).contains("secret");
    }

    @Test
    void only_the_owner_can_read_the_file_and_enter_a_folder_made_for_it() throws Exception {
        Path folder = home.resolve("agents/one");

        TokenFile.in(folder).save("secret");

        assertThat(mode(folder)).isEqualTo("rwx------");
        assertThat(mode(folder.resolve(".auth_token"))).isEqualTo("rw-------");
    }

    @Test
    void a_newer_token_replaces_the_older_one_and_leaves_nothing_behind() throws Exception {
        var file = TokenFile.in(home);
        file.save("a much longer first token");

        file.save("second");

        assertThat(file.load()).contains("second");
        try (var files = Files.list(home)) {
            assertThat(files).containsExactly(file.path());
        }
    }

    @Test
    void a_token_put_there_by_somebody_else_is_seen_at_once() throws Exception {
        var file = TokenFile.in(home);
        file.save("old");

        Files.writeString(file.path(), "rotated\n");

        assertThat(file.load()).contains("rotated");
    }

    @Test
    void an_empty_token_is_refused_and_the_old_one_stays() {
        var file = TokenFile.in(home);
        file.save("old");

        assertThatThrownBy(() -> file.save(" \n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("refusing to save an empty token");

        assertThat(file.load()).contains("old");
    }

    @Test
    void a_blank_file_holds_no_token() throws Exception {
        Files.writeString(home.resolve(TokenFile.NAME), "\n");

        assertThat(TokenFile.in(home).load()).isEmpty();
    }

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
