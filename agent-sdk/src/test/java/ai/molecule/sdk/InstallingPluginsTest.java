package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.sdk.plugins.PluginException;
import ai.molecule.sdk.plugins.TarBuilder;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin comes from the platform to the agent's disk, whole or not at all. */
class InstallingPluginsTest {

    private static final String NO_SUCH_SUM = "0".repeat(64);

    @TempDir
    private Path home;

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private byte[] archive = new byte[0];
    private HttpServer platform;
    private RemoteAgentClient agent;

    @BeforeEach
    void join() throws Exception {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/", exchange -> {
            try (exchange) {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
                boolean download = exchange.getRequestMethod().equals("GET");
                byte[] answer = download ? archive : "broken".getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(download ? 200 : 503, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        platform.start();
        agent = RemoteAgentClient.builder(
                        "me", "http://127.0.0.1:" + platform.getAddress().getPort())
                .tokenFolder(home)
                .build();
    }

    @AfterEach
    void leave() {
        platform.stop(0);
    }

    @Test
    void a_plugin_is_installed_set_up_and_reported() throws Exception {
        archive = new TarBuilder()
                .file("README.md", "hello")
                .file("setup.sh", "cat README.md > made-by-setup; pwd >> made-by-setup")
                .gzipped();

        Path folder = agent.installPlugin("notes");

        assertThat(folder).isEqualTo(home.resolve("plugins/notes"));
        assertThat(folder.resolve("made-by-setup"))
                .content()
                .startsWith("hello")
                .contains("notes");
        assertThat(requests)
                .containsExactly(
                        "GET /workspaces/me/plugins/notes/download ",
                        "POST /workspaces/me/plugins {\"source\":\"local://notes\"}");
        assertThat(home.resolve("plugins")).isDirectoryNotContaining("glob:**.staging*");
    }

    @Test
    void another_source_is_named_and_setup_and_report_can_be_left_out() throws Exception {
        archive = new TarBuilder().file("setup.sh", "touch ran").gzipped();

        Path folder = agent.installPlugin(
                PluginRequest.of("notes").from("github://a/b").withoutSetup().withoutReport());

        assertThat(folder.resolve("ran")).doesNotExist();
        assertThat(requests).containsExactly("GET /workspaces/me/plugins/notes/download?source=github%3A%2F%2Fa%2Fb ");
    }

    @Test
    void a_newer_plugin_replaces_the_older_one_whole() throws Exception {
        archive = new TarBuilder().file("old", "1").gzipped();
        agent.installPlugin("notes");
        archive = new TarBuilder().file("new", "2").gzipped();

        Path folder = agent.installPlugin("notes");

        assertThat(folder).isDirectoryContaining("glob:**new").isDirectoryNotContaining("glob:**old");
        assertThat(home.resolve("plugins").toFile().list()).containsExactly("notes");
    }

    @Test
    void a_wrong_checksum_or_a_hostile_archive_leaves_what_was_there() throws Exception {
        archive = new TarBuilder().file("old", "1").gzipped();
        agent.installPlugin("notes");

        archive = new TarBuilder()
                .file("plugin.yaml", "{name: notes, 'sha256': '" + NO_SUCH_SUM + "'}")
                .file("setup.sh", "touch ../ran")
                .gzipped();
        assertThatThrownBy(() -> agent.installPlugin("notes"))
                .isInstanceOf(PluginException.class)
                .hasMessageContaining("mismatch");
        archive = new TarBuilder().file("../evil", "1").gzipped();
        assertThatThrownBy(() -> agent.installPlugin("notes")).isInstanceOf(PluginException.class);

        assertThat(home.resolve("plugins/notes")).isDirectoryContaining("glob:**old");
        assertThat(home.resolve("plugins").toFile().list()).containsExactly("notes");
    }

    @Test
    void the_checksum_a_plugin_names_is_the_one_of_its_files() throws Exception {
        archive = new TarBuilder()
                .file("README.md", "hello\n")
                .file("skills/a/SKILL.md", "x")
                .file("plugin.yaml", "sha256: eeb3e1d50568acec70c3d7e25462d4a2b789c0ad3b6d66328601e25ca29793c4")
                .gzipped();

        assertThat(agent.installPlugin("notes").resolve("README.md")).exists();
    }

    @Test
    void a_setup_that_fails_or_a_manifest_that_is_no_yaml_does_not_fail_the_installation() throws Exception {
        archive = new TarBuilder()
                .file("setup.sh", "echo no; exit 3")
                .file("plugin.yaml", "a: [")
                .gzipped();

        assertThat(agent.installPlugin("notes")).isDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "..", "a/b", "../x", ".hidden", "-x"})
    void a_name_that_cannot_name_a_folder_is_refused(String name) {
        assertThatThrownBy(() -> agent.installPlugin(name)).isInstanceOf(IllegalArgumentException.class);
        assertThat(requests).isEmpty();
    }
}
