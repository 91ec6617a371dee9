package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent joins and keeps telling the platform that it lives. */
class RegisteringTest {

    private static final ObjectNode CARD = new ObjectMapper().createObjectNode().put("name", "planner");

    @TempDir
    private Path home;

    private ScriptedServer platform;
    private TokenFile token;
    private ClientConfig config;

    @BeforeEach
    void startPlatform() throws Exception {
        platform = new ScriptedServer();
        token = TokenFile.in(home);
        config = ClientConfig.of("ws-1", platform.url() + "//", token);
    }

    @AfterEach
    void stopPlatform() {
        platform.close();
    }

    @Test
    void a_first_registration_goes_without_a_bearer_and_keeps_the_issued_token() {
        platform.answers(200, "{\"status\":\"registered\",\"auth_token\":\"fresh\"}");

        new PlatformClient(config).register("http://127.0.0.1:9000", CARD);

        var request = platform.requests.get(0);
        assertThat(request.method() + " " + request.path()).isEqualTo("POST /registry/register");
        assertThat(request.body())
                .isEqualTo("{\"id\":\"ws-1\",\"url\":\"http://127.0.0.1:9000\",\"agent_card\":{\"name\":\"planner\"}}");
        assertThat(request.headers()).doesNotContainKey("Authorization");
        assertThat(token.load()).contains("fresh");
    }

    @Test
    void an_agent_with_a_token_proves_itself_and_keeps_it() {
        token.save("mine");
        platform.answers(200, "{\"status\":\"registered\"}");

        new PlatformClient(config).register("http://127.0.0.1:9000", CARD);

        assertThat(platform.requests.get(0).headers().getFirst("Authorization")).isEqualTo("Bearer mine");
        assertThat(token.load()).contains("mine");
    }

    @Test
    void the_platforms_url_is_the_origin_unless_told_otherwise() {
        platform.answers(200, "{}").answers(200, "{}").answers(200, "{}");

        new PlatformClient(config).register("http://a", CARD);
        new PlatformClient(config.withOrigin("https://canvas").withOrgId("org-7")).register("http://a", CARD);
        new PlatformClient(config.withoutOrigin()).register("http://a", CARD);

        assertThat(platform.requests.get(0).headers().getFirst("Origin")).isEqualTo(platform.url());
        assertThat(platform.requests.get(0).headers()).doesNotContainKey("X-molecule-org-id");
        assertThat(platform.requests.get(1).headers().getFirst("Origin")).isEqualTo("https://canvas");
        assertThat(platform.requests.get(1).headers().getFirst("X-Molecule-Org-Id"))
                .isEqualTo("org-7");
        assertThat(platform.requests.get(2).headers()).doesNotContainKey("Origin");
    }

    @Test
    void a_refusal_carries_the_status_and_the_platforms_own_words() {
        platform.answers(401, "{\"error\":\"missing workspace auth token\"}");

        assertThatThrownBy(() -> new PlatformClient(config).register("http://a", CARD))
                .isInstanceOfSatisfying(PlatformException.class, e -> {
                    assertThat(e.status()).isEqualTo(401);
                    assertThat(e.error()).isEqualTo("missing workspace auth token");
                    assertThat(e.isUnreachable()).isFalse();
                });
    }

    @Test
    void an_answer_that_is_not_json_is_an_error_with_its_status() {
        platform.answers(502, "<html>bad gateway</html>");

        assertThatThrownBy(() -> new PlatformClient(config).register("http://a", CARD))
                .isInstanceOfSatisfying(
                        PlatformException.class, e -> assertThat(e.status()).isEqualTo(502));
    }

    @Test
    void a_platform_that_is_not_there_is_unreachable() {
        platform.close();

        assertThatThrownBy(() -> new PlatformClient(config).register("http://a", CARD))
                .isInstanceOfSatisfying(
                        PlatformException.class,
                        e -> assertThat(e.isUnreachable()).isTrue());
    }

    @Test
    void a_token_that_cannot_be_read_is_an_error_and_nothing_is_sent() throws Exception {
        Files.createDirectory(token.path());

        assertThatThrownBy(() -> new PlatformClient(config).register("http://a", CARD))
                .isInstanceOf(PlatformException.class)
                .hasMessageContaining("token cannot be read");

        assertThat(platform.requests).isEmpty();
    }

    @Test
    void a_heartbeat_says_what_the_agent_does() {
        token.save("mine");
        platform.answers(200, "{\"status\":\"ok\"}");

        new PlatformClient(config).heartbeat(new Heartbeat("plan it", 2, 0.25, "boom", Duration.ofMillis(61_900)));

        var request = platform.requests.get(0);
        assertThat(request.path()).isEqualTo("/registry/heartbeat");
        assertThat(request.headers().getFirst("Authorization")).isEqualTo("Bearer mine");
        assertThat(request.body())
                .isEqualTo("{\"workspace_id\":\"ws-1\",\"current_task\":\"plan it\",\"active_tasks\":2,"
                        + "\"error_rate\":0.25,\"sample_error\":\"boom\",\"uptime_seconds\":61}");
    }

    @Test
    void a_heartbeat_is_not_lost_over_text_that_the_platform_would_refuse() {
        platform.answers(200, "{\"status\":\"ok\"}");
        platform.answers(200, "{\"status\":\"ok\"}");
        var heartbeat = new Heartbeat("a nul \0", 1, 1, "half an emoji \uD83D", Duration.ZERO);

        new PlatformClient(config).heartbeat(heartbeat);
        new PlatformClient(config).heartbeat(heartbeat, Optional.of("the other half \uDE00"), CARD);

        assertThat(platform.requests.get(0).body())
                .contains("\"current_task\":\"a nul \uFFFD\"", "\"sample_error\":\"half an emoji ?\"");
        assertThat(platform.requests.get(1).body()).contains("\"sample_error\":\"the other half ?\"");
    }

    @Test
    void an_error_rate_outside_its_range_is_refused() {
        assertThatThrownBy(() -> new Heartbeat("", 0, 1.5, "", Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_platform_url_without_a_scheme_is_refused() {
        assertThatThrownBy(() -> ClientConfig.of("ws-1", "localhost:8080", token))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("http://");
    }
}
