package ai.molecule.provisioner.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.plugins.sources.Tarball;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A plugin comes into a running workspace whole or not at all, and its agent starts anew. */
class InstallingPluginsTest {

    private static final String OK = "200 {\"status\":\"installed\",\"plugin\":\"notes\",\"source\":\"%s\"}";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path data;

    @SuppressWarnings("NullAway.Init")
    private static PluginPlatform platform;

    @SuppressWarnings("NullAway.Init")
    private static UUID id;

    @BeforeAll
    static void start() throws IOException {
        platform = new PluginPlatform(data)
                .plugin("notes", "plugin.yaml", "name: notes")
                .plugin("notes", "skills/notes/SKILL.md", "how")
                .plugin("notes", "rules/first.md", "Write it down.\n\n# Where\n\nIn the folder.\n")
                .plugin("notes", "setup.sh", "true");
        Path notes = platform.registryFolder.resolve("notes");
        assertThat(notes.resolve("setup.sh").toFile().setExecutable(true)).isTrue();
        Files.createSymbolicLink(notes.resolve("link"), Path.of("/etc/passwd"));
        id = platform.running();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @AfterEach
    void nothing_stays_staged() {
        assertThat(platform.staged()).isEmpty();
    }

    @Test
    void the_files_are_there_and_a_restart_was_asked_for() {
        int asked = platform.provisioning.registry.restartsAsked().size();

        assertThat(platform.installFrom(id, "local://notes")).isEqualTo(OK.formatted("local://notes"));

        Path there = platform.configs(id).resolve("plugins/notes");
        assertThat(there.resolve("skills/notes/SKILL.md")).hasContent("how");
        assertThat(Files.isExecutable(there.resolve("setup.sh"))).isTrue();
        assertThat(Files.isExecutable(there.resolve("plugin.yaml"))).isFalse();
        assertThat(there.resolve("link")).doesNotExist();
        assertThat(platform.provisioning.registry.restartsAsked())
                .hasSize(asked + 1)
                .endsWith(id);
        assertThat(platform.json("/workspaces/" + id + "/plugins").findValuesAsText("name"))
                .contains("notes");
    }

    @Test
    void a_bare_name_is_one_of_the_registry_and_installing_again_replaces_the_whole() {
        PluginPlatform.write(platform.configs(id).resolve("plugins/notes/old"), "1");

        assertThat(platform.installFrom(id, "notes")).isEqualTo(OK.formatted("local://notes"));

        assertThat(platform.configs(id).resolve("plugins/notes/old")).doesNotExist();
        assertThat(platform.configs(id).resolve("plugins/notes/plugin.yaml")).exists();
    }

    @Test
    void the_same_asked_for_at_once_is_fetched_once() {
        platform.codeload.serve(
                "/acme/once/tar.gz/v1",
                request -> platform.vertx.setTimer(
                        3_000, // by when all five have asked
                        later -> request.response()
                                .end(Buffer.buffer(
                                        new Tarball().file("once-1/a", "1").gzipped()))));
        var requests = java.util.stream.Stream.generate(
                        () -> platform.request(HttpMethod.POST, "/workspaces/" + id + "/plugins")
                                .sendBuffer(Buffer.buffer("{\"source\":\"github://acme/once#v1\"}")))
                .limit(5)
                .toList();

        var answers = Future.all(requests).await();

        assertThat(answers.<io.vertx.ext.web.client.HttpResponse<Buffer>>list())
                .allSatisfy(answer -> assertThat(answer.statusCode()).isEqualTo(200));
        assertThat(platform.codeload.requests).containsOnlyOnce("/acme/once/tar.gz/v1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "not json                          | 400 {\"error\":\"invalid request body\"}",
                "[]                                | 400 {\"error\":\"invalid request body\"}",
                "{\"source\":7}                    | 400 {\"error\":\"invalid request body\"}",
                "{\"source\":\"notes\",\"sha256\":7} | 400 {\"error\":\"invalid request body\"}",
                "{}                                | 400 {\"error\":\"'source' is required (e.g. \\\"local://my-plugin\\\" or \\\"github://owner/repo\\\")\"}",
                "{\"source\":\"\"}                 | 400 {\"error\":\"'source' is required (e.g. \\\"local://my-plugin\\\" or \\\"github://owner/repo\\\")\"}",
                "{\"source\":\"local://\"}         | 400 {\"error\":\"invalid plugin source\"}",
                "{\"source\":\"://notes\"}         | 400 {\"error\":\"invalid plugin source\"}",
                "{\"source\":\"github://acme\"}    | 400 {\"error\":\"invalid plugin source\"}",
                "{\"source\":\"github://a/b#../c\"} | 400 {\"error\":\"invalid plugin source\"}",
                "{\"source\":\"github://a/..#c\"}  | 400 {\"error\":\"invalid plugin source\"}",
                "{\"source\":\"NOTES\"}            | 400 {\"error\":\"invalid plugin source\"}",
                "{\"source\":\"../notes\"}         | 400 {\"error\":\"invalid plugin name\"}",
                "{\"source\":\"local://a/b\"}      | 400 {\"error\":\"invalid plugin name\"}",
                "{\"source\":\"local://a..b\"}     | 400 {\"error\":\"invalid plugin name\"}",
                "{\"source\":\"ftp://notes\"}      | 400 {\"error\":\"failed to resolve plugin source\",\"available_schemes\":[\"github\",\"local\"]}",
                "{\"source\":\"local://unknown\"}  | 404 {\"error\":\"failed to fetch plugin from local\",\"source\":\"local://unknown\"}",
                "{\"source\":\"github://a/b\"}     | 422 {\"error\":\"unpinned github source: append a tag or commit SHA (e.g. \\\"github://owner/repo#v1.2.0\\\"). Set PLUGIN_ALLOW_UNPINNED=true to override\",\"source\":\"github://a/b\"}",
            })
    void bad_input_changes_nothing(String body, String answer) {
        var before = platform.provisioning.registry.restartsAsked();

        assertThat(platform.install(id, body)).isEqualTo(answer);

        assertThat(platform.provisioning.registry.restartsAsked()).isEqualTo(before);
    }

    @Test
    void a_body_over_its_limit_is_refused() {
        assertThat(platform.install(id, "{\"source\":\"" + "a".repeat(70_000) + "\"}"))
                .startsWith("413 ");
    }

    @Test
    void the_callers_sum_is_the_one_of_plugin_yaml() {
        String sum = sha256("name: notes");
        String wrong = "0".repeat(64);
        platform.plugin("unsummed", "README.md", "x");

        assertThat(platform.install(id, "{\"source\":\"notes\",\"sha256\":\"" + sum + "\"}"))
                .startsWith("200 ");
        assertThat(platform.install(id, "{\"source\":\"notes\",\"sha256\":\"" + wrong + "\"}"))
                .isEqualTo("422 {\"error\":\"sha256 mismatch: expected " + wrong + ", got " + sum + "\"}");
        assertThat(platform.install(id, "{\"source\":\"unsummed\",\"sha256\":\"" + sum + "\"}"))
                .isEqualTo("422 {\"error\":\"sha256 check failed: plugin.yaml not found in staged plugin\"}");
        assertThat(platform.configs(id).resolve("plugins/unsummed")).doesNotExist();
    }

    @Test
    void a_manifest_says_what_the_files_must_be() {
        String sum = sha256("README.md\0helloa/b\0world");
        platform.plugin("summed", "README.md", "hello").plugin("summed", "a/b", "world");
        platform.plugin("summed", "manifest.json", "{\"sha256\":\"" + sum + "\"}");
        assertThat(platform.installFrom(id, "summed")).startsWith("200 ");

        platform.plugin("summed", "a/b", "changed");
        String refused = "422 {\"error\":\"plugin manifest integrity check failed\"}";
        assertThat(platform.installFrom(id, "summed")).isEqualTo(refused);
        assertThat(platform.configs(id).resolve("plugins/summed/a/b")).hasContent("world");
        platform.plugin("summed", "manifest.json", "no json");
        assertThat(platform.installFrom(id, "summed")).isEqualTo(refused);
        platform.plugin("summed", "manifest.json", "{\"version\":1}");
        assertThat(platform.installFrom(id, "summed")).startsWith("200 ");
    }

    @Test
    void a_plugin_larger_than_allowed_is_refused() {
        platform.plugin("large", "file", "x".repeat(1024 * 1024 + 1));

        assertThat(platform.installFrom(id, "large")).isEqualTo("413 {\"error\":\"staged plugin exceeds size limit\"}");
    }

    @Test
    void only_an_agent_that_runs_gets_plugins() {
        var waiting = platform.neverStarted();
        String refused = "503 {\"error\":\"workspace container not running\"}";

        assertThat(platform.installFrom(waiting, "notes")).isEqualTo(refused);
        assertThat(platform.uninstall(waiting, "notes")).isEqualTo(refused);
        assertThat(platform.configs(waiting)).doesNotExist();
        assertThat(platform.installFrom(UUID.randomUUID(), "notes"))
                .isEqualTo("404 {\"error\":\"workspace not found\"}");
    }

    @Test
    void uninstalling_takes_away_what_the_plugin_brought_and_nothing_else() throws IOException {
        var other = platform.running();
        platform.installFrom(other, "notes");
        Path configs = platform.configs(other);
        PluginPlatform.write(configs.resolve("skills/notes/SKILL.md"), "how");
        PluginPlatform.write(configs.resolve("skills/mine/SKILL.md"), "mine");
        PluginPlatform.write(configs.resolve("CLAUDE.md"), """
                Be kind.

                # Plugin: notes / rule: first.md

                Write it down.

                # Where

                In the folder.

                # Plugin: notes-too / rule: a.md

                Stays.
                """);

        assertThat(platform.uninstall(other, "notes"))
                .isEqualTo("200 {\"status\":\"uninstalled\",\"plugin\":\"notes\"}");

        assertThat(configs.resolve("plugins/notes")).doesNotExist();
        assertThat(configs.resolve("skills").toFile().list()).containsExactly("mine");
        assertThat(configs.resolve("CLAUDE.md")).hasContent("Be kind.\n\n# Plugin: notes-too / rule: a.md\n\nStays.\n");
        assertThat(platform.provisioning.registry.restartsAsked().stream().filter(other::equals))
                .hasSize(2);
        assertThat(platform.uninstall(other, "notes")).startsWith("200 ");
        assertThat(platform.uninstall(other, "..%2Fx")).isEqualTo("400 {\"error\":\"invalid plugin name\"}");
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
