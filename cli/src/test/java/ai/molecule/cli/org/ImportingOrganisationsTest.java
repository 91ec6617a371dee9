package ai.molecule.cli.org;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code molecule org import} against a platform that answers what it is told to. */
class ImportingOrganisationsTest {

    private static final String UNDER_WAY = "{\"error\":\"under way\",\"code\":\"import_under_way\",\"retry_after\":0}";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final Screen screen = new Screen();
    private final List<JsonObject> asked = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private int underWay;
    private int status = 201;
    private String answer = "{\"org\":\"Shop\",\"workspaces\":[{\"id\":\"i-1\",\"name\":\"Lead\"}],\"count\":1}";
    private HttpServer platform;

    @BeforeEach
    void startPlatform() throws IOException {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/org/import", exchange -> {
            asked.add(new JsonObject(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
            boolean done = asked.size() > underWay;
            byte[] bytes = (done ? answer : UNDER_WAY).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(done ? status : 409, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        platform.start();
    }

    @AfterEach
    void stopPlatform() {
        platform.stop(0);
    }

    @Test
    void a_folder_is_sent_with_everything_that_belongs_to_it() throws IOException {
        write("org.yml", "workspaces: [!include team/a.yaml]");
        write("team/a.yaml", "name: a");
        write(".env", "KEY=v");
        write(".git/config", "x");

        assertThat(run(folder.toString(), "--no-start", "--force")).isZero();

        assertThat(asked.getFirst())
                .isEqualTo(new JsonObject()
                        .put("force", true)
                        .put("start", false)
                        .put(
                                "files",
                                new JsonObject()
                                        .put("org.yaml", "workspaces: [!include team/a.yaml]")
                                        .put("team/a.yaml", "name: a")
                                        .put(".env", "KEY=v")));
        assertThat(screen.out()).isEqualTo("i-1  Lead\n");
        assertThat(screen.err()).contains("1 agents of Shop were created and are paused.");
    }

    @Test
    void a_file_is_sent_alone_and_a_name_only_named() throws IOException {
        write("other.yaml", "workspaces: []");

        run(folder.resolve("other.yaml").toString());
        run("studio");

        assertThat(asked.get(0).getJsonObject("files").getMap()).containsOnlyKeys("org.yaml");
        assertThat(asked.get(1).getString("dir")).isEqualTo("studio");
    }

    @Test
    void one_that_goes_on_is_asked_for_again_with_the_same_key_and_another_has_another() throws IOException {
        underWay = 2;

        assertThat(run("studio")).isZero();
        assertThat(run("studio")).isZero();

        assertThat(keys).hasSize(4);
        assertThat(keys.subList(0, 3)).containsOnly(keys.getFirst());
        assertThat(keys.getLast()).isNotEqualTo(keys.getFirst());
    }

    @Test
    void a_refusal_says_what_to_change() throws IOException {
        write("org.yaml", "workspaces: 7");
        status = 400;
        answer = "{\"error\":\"invalid org template\",\"problems\":[\"$.workspaces: integer found, array expected\"]}";

        assertThatThrownBy(() -> run(folder.toString()))
                .isInstanceOfSatisfying(
                        LaunchFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(2))
                .hasMessage("The organisation was not imported: invalid org template\n"
                        + "  $.workspaces: integer found, array expected");

        status = 412;
        answer =
                "{\"error\":\"missing required environment variables\",\"missing_env\":[\"A\",{\"any_of\":[\"B\",\"C\"]}]}";

        assertThatThrownBy(() -> run(folder.toString()))
                .hasMessageContaining("\n  A\n  one of B, C\nSet them as global secrets, or import with --force.");
    }

    @Test
    void what_was_created_but_not_started_is_a_failure() throws IOException {
        status = 207;
        answer =
                "{\"org\":\"Shop\",\"workspaces\":[],\"count\":2,\"warnings\":[\"w\"],\"error\":\"nothing was started\"}";

        assertThat(run("studio")).isEqualTo(1);

        assertThat(screen.err()).contains("note: w", "2 agents of Shop were created, but nothing was started.");
    }

    @Test
    void nothing_is_asked_for_what_is_not_there_or_no_text() throws IOException {
        write("bin/org.yaml", "workspaces: []");
        Files.write(folder.resolve("bin/logo.png"), new byte[] {(byte) 0x89, 'P', (byte) 0xff});

        assertThatThrownBy(() -> run(folder.toString())).hasMessageContaining("There is no org.yaml in");
        assertThatThrownBy(() -> run(folder.resolve("none.yaml").toString())).hasMessageContaining("There is no");
        assertThatThrownBy(() -> run(folder.resolve("bin").toString())).hasMessageContaining("logo.png is not a text");

        assertThat(asked).isEmpty();
    }

    private int run(String... arguments) throws IOException {
        var command = new ImportCommand(screen.console(), MoleculeHome.fromSystemProperties());
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--url", "http://127.0.0.1:" + platform.getAddress().getPort()));
        new CommandLine(command).parseArgs(all.toArray(String[]::new));
        return command.call();
    }

    private void write(String path, String text) throws IOException {
        var file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
