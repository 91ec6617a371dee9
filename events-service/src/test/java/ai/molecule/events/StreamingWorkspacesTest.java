package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Kept;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code GET /workspaces/:id/events/stream}. */
@ExtendWith(VertxExtension.class)
class StreamingWorkspacesTest {

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID workspace;

    private final StringBuffer text = new StringBuffer();

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx, Organisation.on(vertx), EventsFixture.quick(30_000, 60_000));
        workspace = service.organisation.add("agent", null);
    }

    @Test
    void a_stream_begins_with_a_comment_and_the_headers_that_keep_it_unbuffered() {
        var response = open(null);

        await().until(() -> text.toString().startsWith(": ping\n\n"));
        assertThat(response.getHeader("Content-Type")).isEqualTo("text/event-stream");
        assertThat(response.getHeader("Cache-Control")).isEqualTo("no-cache");
        assertThat(response.getHeader("X-Accel-Buffering")).isEqualTo("no");
    }

    @Test
    void only_the_workspaces_events_are_streamed_recorded_ones_with_their_position() {
        open(null);

        service.record("OTHER", UUID.randomUUID());
        service.record("MINE", workspace);
        await().until(() -> data().contains("MINE"));
        service.live("CHAT", workspace);

        await().until(() -> data().contains("CHAT"));
        assertThat(data())
                .matches("id: 2\ndata: \\{\"type\":\"MINE\",\"timestamp\":\\d{13},\"data\":\\{\"n\":\"MINE\"}}\n\n"
                        + "data: \\{\"type\":\"CHAT\",\"timestamp\":\\d{13},\"data\":\\{\"n\":\"CHAT\"}}\n\n");
    }

    @Test
    void a_client_that_comes_back_gets_what_it_missed() {
        // Given
        service.record("ONE", workspace);
        service.record("OTHER", UUID.randomUUID());
        service.record("THREE", workspace);
        service.record("OTHER", UUID.randomUUID());

        service.awaitRecorded(4);

        // When
        open("1");
        service.record("FIVE", workspace);

        // Then
        await().until(() -> data().contains("FIVE"));
        assertThat(data().lines().filter(line -> line.startsWith("id:"))).containsExactly("id: 3", "id: 5");
    }

    @Test
    void an_idle_stream_is_kept_alive_by_comments() {
        open(null);

        await().until(() -> text.toString().startsWith(": ping\n\n: ping\n\n: ping\n\n"));
    }

    @Test
    void the_last_line_says_why_the_server_ends_it() {
        open(null);
        await().until(() -> text.length() > 0);

        service.stop();

        await().until(() ->
                text.toString().endsWith(": closed: the server is shutting down, reconnect with since\n\n"));
    }

    @Test
    void a_workspace_that_never_existed_is_not_found_and_a_bad_position_is_refused() {
        assertThat(service.get("/workspaces/" + UUID.randomUUID() + "/events/stream"))
                .isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertThat(service.get("/workspaces/me/events/stream")).isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertThat(service.get("/workspaces/" + workspace + "/events/stream", "Last-Event-ID", "x"))
                .startsWith("400 ");
    }

    @Test
    void a_stream_ends_with_the_token_that_opened_it() {
        String token = service.organisation.tokenFor(workspace);
        open(null, token);
        await().until(() -> text.length() > 0);

        service.organisation.revoke(token, workspace);

        await().until(() -> text.toString().endsWith(": closed: the token is no longer valid\n\n"));
    }

    @Test
    void and_while_its_workspace_is_paused() {
        open(null, service.organisation.tokenFor(workspace));
        await().until(() -> text.length() > 0);

        service.organisation.pause(workspace);

        await().until(() -> text.toString().endsWith(": closed: the workspace is paused\n\n"));
    }

    private HttpClientResponse open(@Nullable String lastEventId) {
        return open(lastEventId, null);
    }

    private HttpClientResponse open(@Nullable String lastEventId, @Nullable String token) {
        var options = new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setHost("127.0.0.1")
                .setPort(service.port)
                .setURI("/workspaces/" + workspace + "/events/stream");
        if (lastEventId != null) {
            options.putHeader("Last-Event-ID", lastEventId);
        }
        if (token != null) {
            options.putHeader("Authorization", "Bearer " + token);
        }
        Promise<HttpClientResponse> opened = Promise.promise();
        // on an event loop: on this thread the first bytes might come before anybody listens
        service.vertx.runOnContext(loop -> Kept.kept(service.vertx.createHttpClient())
                .request(options)
                .compose(request -> request.send())
                .onSuccess(response -> response.handler(bytes -> text.append(bytes.toString())))
                .onComplete(opened));
        return opened.future().await();
    }

    private String data() {
        return text.toString().replace(": ping\n\n", "");
    }
}
