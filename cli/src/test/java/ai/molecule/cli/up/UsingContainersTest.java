package ai.molecule.cli.up;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Screen;
import ai.molecule.cli.data.DataFolder;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is said when agents cannot be containers here. */
class UsingContainersTest {

    @Test
    void an_engine_that_does_not_answer_is_named_before_anything_is_started() {
        assertThatThrownBy(() -> prepare("unix:///nowhere/docker.sock"))
                .isInstanceOf(LaunchFailure.class)
                .hasMessageStartingWith(
                        "The docker backend cannot be used (the Docker engine at /nowhere/docker.sock does not answer")
                .hasMessageEndingWith("; start Docker, or use --backend process.");
    }

    @Test
    void an_engine_that_is_not_on_this_machine_is_refused() {
        assertThatThrownBy(() -> prepare("tcp://10.0.0.1:2375"))
                .hasMessage("DOCKER_HOST must be unix:// and the absolute path of a socket.");
    }

    private static void prepare(String engine) {
        var options = new UpOptions(
                8080, Path.of("data"), "127.0.0.1", UpOptions.Backend.DOCKER, false, false, UpOptions.Mode.DEVELOPMENT);
        Containers.prepare(
                        options,
                        DataFolder.at(Path.of("data")),
                        Map.of("DOCKER_HOST", engine),
                        Path.of("Dockerfile"),
                        Path.of("runtime.jar"),
                        new Screen().console())
                .environment();
    }
}
