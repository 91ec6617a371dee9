package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The page out of the module canvas, as a browser gets it. */
@ExtendWith(VertxExtension.class)
class ServingThePageTest {

    private static final Pattern NAMED = Pattern.compile("(?:src|href)=\"([^\"]*)\"");

    @Test
    void the_page_is_open_in_production_and_asked_for_anew_each_time(Vertx vertx) {
        var service = production(vertx);

        var page = service.request(HttpMethod.GET, "/", null);

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.getHeader("Content-Type")).isEqualTo("text/html; charset=utf-8");
        assertThat(page.getHeader("Cache-Control")).isEqualTo("no-cache");
        var again = service.request(HttpMethod.GET, "/", null, "If-None-Match", page.getHeader("ETag"));
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isNull();
    }

    @Test
    void it_is_at_ui_too_and_its_head_is_asked_for_like_itself(Vertx vertx) {
        var service = production(vertx);
        var page = service.request(HttpMethod.GET, "/", null);

        for (String path : List.of("/", "/ui", "/ui/")) {
            var head = service.request(HttpMethod.HEAD, path, null);
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.getHeader("ETag")).isEqualTo(page.getHeader("ETag"));
            assertThat(head.body()).isNull();
            assertThat(service.request(HttpMethod.GET, path, null).body()).isEqualTo(page.body());
        }
        assertThat(service.request(HttpMethod.HEAD, "/nowhere", null).statusCode())
                .isEqualTo(404);
    }

    @Test
    void what_it_names_lies_here_and_is_kept_for_ever(Vertx vertx) {
        var service = production(vertx);

        var named = named(service);

        assertThat(named).hasSize(3).allSatisfy(path -> {
            assertThat(path).matches("/ui/(main|icon)-[A-Z0-9]{8}\\.(js|css|svg)");
            var file = service.request(HttpMethod.GET, path, null);
            assertThat(file.statusCode()).isEqualTo(200);
            assertThat(file.getHeader("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
            assertThat(file.getHeader("X-Content-Type-Options")).isEqualTo("nosniff");
        });
    }

    @Test
    void the_policy_allows_what_lies_here_and_no_script_in_the_page(Vertx vertx) {
        var service = production(vertx);

        var page = service.request(HttpMethod.GET, "/", null);

        assertThat(page.getHeader("Content-Security-Policy"))
                .contains(
                        "default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "trusted-types lit-html")
                .doesNotContain("unsafe", "http", "*");
        assertThat(page.getHeader("X-Frame-Options")).isEqualTo("DENY");
        assertThat(page.getHeader("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(page.bodyAsString())
                .doesNotContainPattern("<script[^>]*>[^<]")
                .doesNotContain("style=", "onclick", "http://", "https://");
    }

    @Test
    void nothing_of_it_names_another_host(Vertx vertx) {
        var service = production(vertx);

        assertThat(named(service))
                .allSatisfy(path -> assertThat(
                                service.request(HttpMethod.GET, path, null).bodyAsString())
                        .doesNotContainPattern("https?://(?!www\\.w3\\.org/)[a-z]"));
    }

    @Test
    void who_takes_gzip_gets_the_same_packed_and_small(Vertx vertx) throws IOException {
        var service = production(vertx);
        int together = 0;

        for (String path : named(service)) {
            var plain = service.request(HttpMethod.GET, path, null);
            var packed = service.request(HttpMethod.GET, path, null, "Accept-Encoding", "br, gzip;q=0.9");
            assertThat(plain.getHeader("Content-Encoding")).isNull();
            assertThat(packed.getHeader("Content-Encoding")).isEqualTo("gzip");
            assertThat(unpacked(packed)).isEqualTo(plain.body());
            var refused = service.request(HttpMethod.GET, path, null, "Accept-Encoding", "gzip;q=0");
            assertThat(refused.getHeader("Content-Encoding")).isNull();
            together += packed.body().length();
        }

        assertThat(together).isLessThanOrEqualTo(120 * 1024);
    }

    @Test
    void what_the_page_does_not_name_is_not_there(Vertx vertx) {
        var service = production(vertx);

        for (String path : List.of("/ui/index.html.gz", "/ui/files.txt", "/ui/..%2Ffiles.txt", "/ui/a/b")) {
            assertThat(service.get(path)).isEqualTo("404 {\"error\":\"not found\"}");
        }
    }

    private static EventsFixture production(Vertx vertx) {
        return EventsFixture.start(vertx, "MOLECULE_ENV", "", "ADMIN_TOKEN", "root", "MOLECULE_BIND", "127.0.0.1");
    }

    private static List<String> named(EventsFixture service) {
        String page = service.request(HttpMethod.GET, "/", null).bodyAsString();
        return NAMED.matcher(page).results().map(found -> found.group(1)).toList();
    }

    private static Buffer unpacked(HttpResponse<Buffer> packed) throws IOException {
        try (var in = new GZIPInputStream(new ByteArrayInputStream(packed.body().getBytes()))) {
            return Buffer.buffer(in.readAllBytes());
        }
    }
}
