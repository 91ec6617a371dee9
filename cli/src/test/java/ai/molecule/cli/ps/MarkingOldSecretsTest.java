package ai.molecule.cli.ps;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code molecule ps}: an agent that runs with an older value of a secret is marked. */
class MarkingOldSecretsTest {

    private final Vertx vertx = Vertx.vertx();
    private final Screen screen = new Screen();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @AfterEach
    void stop() {
        vertx.close().await();
    }

    @Test
    void an_agent_with_an_older_value_of_a_secret_is_marked_and_the_way_out_is_named() {
        assertThat(ps("[" + agent("Lead", "") + "," + agent("Writer", ",\"secrets_outdated\":true") + "]"))
                .isZero();

        assertThat(screen.out().lines())
                .containsExactly(
                        "AGENT   STATUS               RUNTIME  ID",
                        "Lead    online               echo     Lead",
                        "Writer  online (old secret)  echo     Writer");
        assertThat(screen.err()).contains("older value of a secret", "agent restart NAME");
    }

    @Test
    void where_no_agent_has_one_nothing_is_said() {
        assertThat(ps("[" + agent("Lead", ",\"secrets_outdated\":null") + "]")).isZero();

        assertThat(screen.out()).doesNotContain("old secret");
        assertThat(screen.err()).isEmpty();
    }

    private static String agent(String name, String more) {
        return "{\"id\":\"%s\",\"name\":\"%s\",\"status\":\"online\",\"runtime\":\"echo\"%s}"
                .formatted(name, name, more);
    }

    private int ps(String workspaces) {
        var platform = vertx.createHttpServer()
                .requestHandler(request -> request.response().end(workspaces))
                .listen(0, "127.0.0.1")
                .await();
        return new CommandLine(new PsCommand(
                        screen.console(),
                        new MoleculeHome(folder, folder.resolve("runtime.jar"), folder.resolve("data"))))
                .execute("--url", "http://127.0.0.1:" + platform.actualPort());
    }
}
