package ai.molecule.provisioner.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.plugins.sources.Tarball;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent outside takes a plugin to its own disk. */
class DownloadingPluginsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path data;

    @SuppressWarnings("NullAway.Init")
    private static PluginPlatform platform;

    @SuppressWarnings("NullAway.Init")
    private static UUID id;

    @BeforeAll
    static void start() {
        platform = new PluginPlatform(data)
                .plugin("notes", "plugin.yaml", "name: notes")
                .plugin("notes", "skills/" + "long/".repeat(30) + "SKILL.md", "how")
                .plugin("notes", "setup.sh", "true");
        assertThat(platform.registryFolder.resolve("notes/setup.sh").toFile().setExecutable(true))
                .isTrue();
        id = platform.neverStarted();
        platform.provisioning.registry.bearer("the-token", id);
        platform.provisioning.registry.bearer("anothers-token", UUID.randomUUID());
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @AfterEach
    void nothing_stays_staged() {
        org.awaitility.Awaitility.await().until(() -> platform.staged().isEmpty());
    }

    @Test
    void the_archive_has_the_files_at_its_root() throws IOException {
        var answer = download("notes/download", "the-token");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.getHeader("Content-Type")).isEqualTo("application/gzip");
        assertThat(answer.getHeader("Content-Disposition")).isEqualTo("attachment; filename=\"notes.tar.gz\"");
        assertThat(answer.getHeader("Content-Length"))
                .isEqualTo("" + answer.body().length());
        assertThat(answer.getHeader("X-Plugin-Name")).isEqualTo("notes");
        assertThat(answer.getHeader("X-Plugin-Source")).isEqualTo("local://notes");
        assertThat(entries(answer.body()))
                .containsEntry("plugin.yaml", 0100644)
                .containsEntry("setup.sh", 0100755)
                .containsEntry("skills/", 0040755)
                .containsKey("skills/" + "long/".repeat(30) + "SKILL.md");
    }

    @Test
    void a_repository_can_be_named_when_it_is_called_the_same() {
        platform.codeload.serve(
                "/acme/tools/tar.gz/v1", new Tarball().file("tools-1/a", "1").gzipped());

        var answer = download("tools/download?source=github%3A%2F%2Facme%2Ftools%23v1", "the-token");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.getHeader("X-Plugin-Source")).isEqualTo("github://acme/tools#v1");
        assertThat(PluginPlatform.text(download("notes/download?source=github://acme/tools%23v1", "the-token")))
                .startsWith(
                        "400 {\"error\":\"source resolved to plugin \\\"tools\\\" but URL requested \\\"notes\\\"\",")
                .contains("\"requested_name\":\"notes\"", "\"resolved_name\":\"tools\"");
    }

    @Test
    void nobody_but_the_workspace_itself_gets_it_once_it_has_a_token() {
        assertThat(PluginPlatform.text(download("notes/download", null)))
                .isEqualTo("401 {\"error\":\"missing workspace auth token\"}");
        assertThat(PluginPlatform.text(download("notes/download", "anothers-token")))
                .isEqualTo("401 {\"error\":\"invalid workspace auth token\"}");
    }

    @Test
    void what_cannot_be_had_is_answered_as_at_an_installation() {
        assertThat(PluginPlatform.text(download("unknown/download", "the-token")))
                .isEqualTo("404 {\"error\":\"failed to fetch plugin from local\",\"source\":\"local://unknown\"}");
        assertThat(PluginPlatform.text(download("..%2Fnotes/download", "the-token")))
                .isEqualTo("400 {\"error\":\"invalid plugin name\"}");
        assertThat(PluginPlatform.text(download("notes/download?source=ftp://notes", "the-token")))
                .startsWith("400 {\"error\":\"failed to resolve plugin source\"");
    }

    private static HttpResponse<Buffer> download(String path, @Nullable String bearer) {
        var request = platform.request(HttpMethod.GET, "/workspaces/" + id + "/plugins/" + path);
        return (bearer == null ? request : request.bearerTokenAuthentication(bearer))
                .send()
                .await();
    }

    private static Map<String, Integer> entries(Buffer archive) throws IOException {
        Map<String, Integer> modes = new TreeMap<>();
        try (var tar =
                new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(archive.getBytes())), "UTF-8")) {
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                modes.put(entry.getName(), entry.getMode());
            }
        }
        return modes;
    }
}
