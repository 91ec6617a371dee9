package ai.molecule.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which platform a command means that names no data folder. */
class FindingTheRunningPlatformTest {

    @TempDir
    private Path folder;

    private MoleculeHome home;

    @BeforeEach
    void choose() {
        home = new MoleculeHome(folder, folder.resolve("runtime.jar"));
    }

    @Test
    void the_only_platform_that_runs_is_found_wherever_its_data_is() throws IOException {
        try (var notes = start("notes")) {
            assertThat(meant(null)).isEqualTo(folder.resolve("notes"));
            assertThat(meant(folder.resolve("other"))).isEqualTo(folder.resolve("other"));
        }
        assertThat(meant(null)).isEqualTo(folder.resolve(".molecule"));
    }

    @Test
    void the_usual_folder_comes_first_and_of_several_others_one_must_be_named() throws IOException {
        try (var notes = start("notes");
                var other = start("other")) {
            assertThatThrownBy(() -> meant(null))
                    .isInstanceOf(LaunchFailure.class)
                    .hasMessageContaining("Several platforms run")
                    .hasMessageContaining("--data " + folder.resolve("notes"))
                    .hasMessageContaining("--data " + folder.resolve("other"));
            try (var usual = start(".molecule")) {
                assertThat(meant(null)).isEqualTo(folder.resolve(".molecule"));
            }
        }
    }

    private Path meant(@Nullable Path asked) {
        return RunningPlatforms.meant(home, asked).root();
    }

    private FolderLock start(String name) throws IOException {
        var data = DataFolder.open(folder.resolve(name));
        RunningPlatforms.remember(home, data);
        return FolderLock.tryAcquire(data.lock()).orElseThrow();
    }
}
