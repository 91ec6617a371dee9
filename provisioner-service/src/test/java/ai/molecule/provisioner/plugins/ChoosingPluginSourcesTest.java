package ai.molecule.provisioner.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.config.Env;
import ai.molecule.provisioner.plugins.sources.Tarball;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where plugins may come from, and that they are those that were meant. */
class ChoosingPluginSourcesTest {

    private static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private PluginPlatform platform;

    private UUID id = UUID.randomUUID();

    @BeforeEach
    void start() throws Exception {
        platform = new PluginPlatform(data).plugin("notes", "plugin.yaml", "name: notes");
        for (String owner : List.of("acme", "evil")) {
            for (String ref : List.of(COMMIT, "v1")) {
                platform.codeload.serve(
                        "/" + owner + "/once/tar.gz/" + ref,
                        new Tarball().file("once-1/a", "1").gzipped());
            }
        }
        id = platform.running();
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void in_production_plugins_come_from_the_registry_and_nowhere_else_unless_an_operator_says_so() {
        platform.serveProduction();

        assertThat(platform.installFrom(id, "notes")).startsWith("200 ");
        assertThat(platform.installFrom(id, "github://acme/once#" + COMMIT))
                .isEqualTo("403 {\"error\":\"plugin \\\"once\\\" is not in the org allowlist\"}");
        assertThat(platform.get(
                        "/workspaces/" + id + "/plugins/once/download?source=github%3A%2F%2Facme%2Fonce%23" + COMMIT))
                .startsWith("403 ");
        assertThat(platform.codeload.requests).isEmpty();
    }

    @Test
    void an_operator_names_owners_and_what_is_taken_of_them_is_a_commit() {
        platform.serveProduction("local://*", "github://acme/*");

        assertThat(platform.installFrom(id, "github://acme/once#v1"))
                .startsWith("422 {\"error\":\"unpinned github source: append a commit SHA of 40 hexadecimal digits.");
        assertThat(platform.installFrom(id, "github://acme/once#0123456")).startsWith("422 ");
        assertThat(platform.installFrom(id, "github://acme/once#" + COMMIT)).startsWith("200 ");
        assertThat(platform.installFrom(id, "github://evil/once#" + COMMIT)).startsWith("403 ");
        assertThat(platform.codeload.requests).containsExactly("/acme/once/tar.gz/" + COMMIT);
    }

    @Test
    void outside_production_it_is_as_it_was() {
        assertThat(platform.installFrom(id, "github://evil/once#v1")).startsWith("200 ");
    }

    @ParameterizedTest
    @CsvSource({
        "github://acme/*,    github://acme/once#v1,    true",
        "github://acme/*,    github://ACME/once,       true",
        "github://acme/*,    github://acme2/once,      false",
        "github://acme/once, github://acme/once#v1,    true",
        "github://acme/once, github://acme/once-more,  false",
        "github://*,         github://any/body,        true",
        "github://*,         local://notes,            false",
        "local://notes,      local://notes,            true",
        "local://notes,      local://others,           false",
    })
    void a_pattern_is_a_place_or_all_below_it(String pattern, String source, boolean allowed) {
        assertThat(new AllowedSources(List.of(pattern)).allow(source)).isEqualTo(allowed);
    }

    @Test
    void what_is_no_source_is_refused_at_the_start() {
        assertThatThrownBy(() -> PluginSettings.fromEnv(new Env(Map.of("MOLECULE_PLUGIN_SOURCES", "github.com/acme"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("MOLECULE_PLUGIN_SOURCES must be sources such as");
    }

    @Test
    void the_sum_of_all_files_is_told_and_held_against_what_was_expected() {
        String digest = digestOf("{\"source\":\"notes\"}");
        assertThat(digest).matches("sha256:[0-9a-f]{64}");
        assertThat(platform.install(id, "{\"source\":\"notes\",\"digest\":\"" + digest + "\"}"))
                .startsWith("200 ");

        platform.plugin("notes", "skills/more/SKILL.md", "added");

        assertThat(platform.install(id, "{\"source\":\"notes\",\"digest\":\"" + digest + "\"}"))
                .startsWith("422 {\"error\":\"digest mismatch: expected " + digest);
        assertThat(platform.configs(id).resolve("plugins/notes/skills")).doesNotExist();
        assertThat(platform.install(id, "{\"source\":\"notes\",\"digest\":7}")).startsWith("400 ");
    }

    /** The contract's own sum cannot tell these apart. */
    @Test
    void moving_where_a_file_ends_changes_the_sum() throws Exception {
        platform.plugin("one", "a", "1b\u0000x");
        platform.plugin("other", "a", "1").plugin("other", "b", "x");

        assertThat(digestOf("{\"source\":\"one\"}")).isNotEqualTo(digestOf("{\"source\":\"other\"}"));
    }

    private String digestOf(String order) {
        var answer = platform.request(HttpMethod.POST, "/workspaces/" + id + "/plugins")
                .sendBuffer(Buffer.buffer(order))
                .await();
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.getHeader("X-Plugin-Digest");
    }
}
