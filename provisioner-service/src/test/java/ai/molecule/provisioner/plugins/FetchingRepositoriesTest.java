package ai.molecule.provisioner.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.plugins.sources.Tarball;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins of repositories, from a server that answers well, badly, slowly and without end. */
class FetchingRepositoriesTest {

    private static final byte[] GOOD =
            new Tarball().file("notes-1/plugin.yaml", "name: notes").gzipped();
    private static final String UNUSABLE =
            "502 {\"error\":\"failed to fetch plugin from github\",\"source\":\"github://acme/notes#%s\"}";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path data;

    @SuppressWarnings("NullAway.Init")
    private static PluginPlatform platform;

    @SuppressWarnings("NullAway.Init")
    private static UUID id;

    @BeforeAll
    static void start() {
        platform = new PluginPlatform(data);
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
    void a_repository_at_a_tag_becomes_a_plugin_of_its_name() {
        platform.codeload.serve("/acme/notes/tar.gz/release/v1.2.0", GOOD);

        assertThat(install("release/v1.2.0"))
                .isEqualTo("200 {\"status\":\"installed\",\"plugin\":\"notes\","
                        + "\"source\":\"github://acme/notes#release/v1.2.0\"}");

        assertThat(platform.configs(id).resolve("plugins/notes/plugin.yaml")).hasContent("name: notes");
    }

    @Test
    void what_the_server_does_not_have_is_not_found() {
        assertThat(install("gone"))
                .isEqualTo("404 {\"error\":\"failed to fetch plugin from github\","
                        + "\"source\":\"github://acme/notes#gone\"}");
    }

    @Test
    void a_redirect_is_followed_within_the_same_rules() {
        platform.codeload.serve(
                "/acme/notes/tar.gz/moved",
                request -> request.response()
                        .setStatusCode(302)
                        .putHeader("Location", "/acme/renamed/tar.gz/moved")
                        .end());
        platform.codeload.serve("/acme/renamed/tar.gz/moved", GOOD);
        redirect("metadata", "http://169.254.169.254/latest");
        redirect("file", "file:///etc/passwd");
        redirect("circle", "/acme/notes/tar.gz/circle");
        redirect("nonsense", "http://[");

        assertThat(install("moved")).startsWith("200 ");
        for (String ref : new String[] {"metadata", "file", "circle", "nonsense"}) {
            assertThat(install(ref)).isEqualTo(UNUSABLE.formatted(ref));
        }
        assertThat(platform.codeload.requests.stream().filter("/acme/notes/tar.gz/circle"::equals))
                .hasSize(4);
    }

    @Test
    void an_answer_that_is_no_archive_is_not_used() {
        platform.codeload.serve("/acme/notes/tar.gz/page", "<html>".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        platform.codeload.serve(
                "/acme/notes/tar.gz/evil",
                new Tarball().file("notes-1/../../evil", "x").gzipped());
        platform.codeload.serve(
                "/acme/notes/tar.gz/error",
                request -> request.response().setStatusCode(500).end());
        platform.codeload.serve("/acme/notes/tar.gz/cut", request -> {
            request.response().putHeader("Content-Length", "100000").write(Buffer.buffer(GOOD));
            platform.vertx.setTimer(50, later -> request.connection().close());
        });

        for (String ref : new String[] {"page", "evil", "error", "cut"}) {
            assertThat(install(ref)).isEqualTo(UNUSABLE.formatted(ref));
        }
    }

    @Test
    void more_than_a_plugin_may_hold_is_cut_off_while_it_comes() {
        platform.codeload.serve("/acme/notes/tar.gz/endless", request -> {
            request.response().setChunked(true);
            long timer = platform.vertx.setPeriodic(
                    1, tick -> request.response().write(Buffer.buffer(new byte[256 * 1024])));
            request.connection().closeHandler(closed -> platform.vertx.cancelTimer(timer));
        });

        assertThat(install("endless")).isEqualTo("413 {\"error\":\"staged plugin exceeds size limit\"}");
    }

    @Test
    void a_server_that_takes_for_ever_is_given_up() {
        platform.codeload.serve("/acme/notes/tar.gz/silent", request -> {});
        platform.codeload.serve("/acme/notes/tar.gz/trickle", request -> {
            request.response().setChunked(true);
            long timer =
                    platform.vertx.setPeriodic(20, tick -> request.response().write("x"));
            request.connection().closeHandler(closed -> platform.vertx.cancelTimer(timer));
        });
        platform.serveWith(true, Duration.ofMillis(300));
        try {
            for (String ref : new String[] {"silent", "trickle"}) {
                assertThat(install(ref))
                        .isEqualTo("504 {\"error\":\"failed to fetch plugin from github\","
                                + "\"source\":\"github://acme/notes#" + ref + "\"}");
            }
        } finally {
            platform.serveWith(true, Duration.ofSeconds(60));
        }
    }

    @Test
    void an_address_of_ours_is_never_dialled_where_the_rules_forbid_it() {
        platform.codeload.serve("/acme/notes/tar.gz/inside", GOOD);
        platform.serveWith(false, Duration.ofSeconds(60));
        try {
            assertThat(install("inside")).isEqualTo(UNUSABLE.formatted("inside"));
            assertThat(platform.codeload.requests).doesNotContain("/acme/notes/tar.gz/inside");
        } finally {
            platform.serveWith(true, Duration.ofSeconds(60));
        }
    }

    private static void redirect(String ref, String to) {
        platform.codeload.serve(
                "/acme/notes/tar.gz/" + ref,
                request -> request.response()
                        .setStatusCode(301)
                        .putHeader("Location", to)
                        .end());
    }

    private static String install(String ref) {
        return platform.installFrom(id, "github://acme/notes#" + ref);
    }
}
