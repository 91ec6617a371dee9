package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent makes in its folder, which may be lent and other people's as well. */
class WorkspaceFolderTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"rwx------", "rwxr-xr-x", "rwxrwxr-x", "rwxrwxrwx"})
    void only_those_may_write_uploads_who_may_write_in_the_folder(String rights) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(rights));

        WorkspaceFolder.prepare(folder);

        assertThat(rightsOf(uploads())).isEqualTo(rights);
    }

    @Test
    void what_an_earlier_agent_opened_to_everybody_is_closed_and_what_a_person_chose_stays() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-x---"));
        Files.createDirectories(uploads());
        Files.setPosixFilePermissions(uploads(), PosixFilePermissions.fromString("rwxrwxrwx"));

        WorkspaceFolder.prepare(folder);
        assertThat(rightsOf(uploads())).isEqualTo("rwxr-x---");

        Files.setPosixFilePermissions(uploads(), PosixFilePermissions.fromString("rwxrwx---"));
        WorkspaceFolder.prepare(folder);
        assertThat(rightsOf(uploads())).isEqualTo("rwxrwx---");
    }

    @Test
    void a_folder_that_is_not_there_is_made() {
        Path absent = folder.resolve("not/there");

        WorkspaceFolder.prepare(absent);

        assertThat(absent.resolve(".molecule/chat-uploads")).isDirectory();
    }

    private Path uploads() {
        return folder.resolve(".molecule/chat-uploads");
    }

    private static String rightsOf(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
