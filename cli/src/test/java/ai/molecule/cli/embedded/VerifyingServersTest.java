package ai.molecule.cli.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are not what this was built with are neither unpacked nor run. */
class VerifyingServersTest {

    @TempDir
    Path temp;

    @Test
    void the_list_is_that_of_the_artifacts_this_is_built_with() throws IOException {
        Map<String, String> found = new HashMap<>();
        for (String name : Checksums.shipped().names()) {
            var resource = getClass().getClassLoader().getResource(name);
            if (resource != null) { // the archives of other systems are not among the libraries here
                found.put(name, Checksums.of(resource.openStream()));
            }
        }

        assertThat(found.keySet()).anyMatch(name -> name.startsWith("postgres-"));
        assertThat(found.keySet().stream().filter(name -> name.startsWith("redis-")))
                .hasSize(4);
        for (String name : found.keySet()) {
            Checksums.shipped()
                    .require(name, getClass().getClassLoader().getResource(name).openStream(), name);
        }
    }

    @Test
    void both_servers_of_this_system_are_as_listed_when_unpacked() throws IOException {
        var binaries = new ServerBinaries(temp);

        assertThat(binaries.redis()).isExecutable();
        assertThat(binaries.postgres().resolve("bin/postgres")).isExecutable();
    }

    @Test
    void a_program_that_was_changed_where_it_lies_is_not_started() throws IOException {
        var binaries = new ServerBinaries(temp);
        Path redis = binaries.redis();
        Path postgres = binaries.postgres().resolve("bin/postgres");
        Files.writeString(redis, "#!/bin/sh\n");
        Files.write(postgres, new byte[] {1});

        assertThatThrownBy(binaries::redis)
                .isInstanceOf(LaunchFailure.class)
                .hasMessageContaining(redis + " is not what Molecule was made with");
        assertThatThrownBy(binaries::postgres)
                .isInstanceOf(LaunchFailure.class)
                .hasMessageContaining(postgres.toString());
    }

    @Test
    void an_artifact_of_other_bytes_is_not_even_unpacked() {
        var binaries = new ServerBinaries(temp.resolve("bin"), new Checksums(Map.of()));

        assertThatThrownBy(binaries::redis).isInstanceOf(LaunchFailure.class);
        assertThatThrownBy(binaries::postgres).isInstanceOf(LaunchFailure.class);

        assertThat(temp.resolve("bin")).doesNotExist();
    }
}
