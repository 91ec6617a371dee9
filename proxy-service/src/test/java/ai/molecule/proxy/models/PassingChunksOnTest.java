package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Kept;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A stream's events go on in the chunks they came in: all of them, in order, none faster than the caller takes them. */
@ExtendWith(VertxExtension.class)
class PassingChunksOnTest {

    /** Together more than sockets and queues on the way hold. */
    private static final int EVENTS = 60_000;

    private static final String FIRST = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n";
    private static final String USAGE =
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":60000}}\n\n";

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    private final AtomicBoolean heldBack = new AtomicBoolean();

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
        door.provider.answer = response -> {
            FakeProvider.events(response);
            response.write(FIRST);
            writeOn(response, 0);
        };
    }

    @Test
    void all_of_them_arrive_in_order_however_slowly_they_are_read(Vertx vertx) {
        var response = open(vertx);
        await().untilTrue(heldBack); // the provider itself has to wait for this caller
        var read = Buffer.buffer();
        response.handler(read::appendBuffer);
        var end = response.end();

        response.resume();
        end.await();

        var expected = Buffer.buffer(FIRST);
        for (int nth = 0; nth < EVENTS; nth++) {
            expected.appendString(event(nth));
        }
        expected.appendString(USAGE).appendString("data: [DONE]\n\n");
        assertThat(read.length()).isEqualTo(expected.length());
        assertThat(read.equals(expected)).isTrue();
        assertThat(door.row().getLong("tokens_out")).isEqualTo(60_000);
    }

    /** Paused. */
    private HttpClientResponse open(Vertx vertx) {
        return Kept.kept(vertx.createHttpClient())
                .request(HttpMethod.POST, door.proxy.port, "127.0.0.1", DoorUnderTest.CHAT)
                .compose(request -> request.putHeader("Authorization", "Bearer " + door.token)
                        .send("{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true}}")
                        .map(response -> {
                            response.pause();
                            return response;
                        }))
                .await();
    }

    private void writeOn(HttpServerResponse response, int from) {
        for (int nth = from; nth < EVENTS; nth++) {
            if (response.writeQueueFull()) {
                heldBack.set(true);
                int next = nth;
                response.drainHandler(room -> writeOn(response, next));
                return;
            }
            response.write(event(nth));
        }
        response.drainHandler(null);
        response.write(USAGE);
        response.end("data: [DONE]\n\n");
    }

    /** Of many lengths. */
    private static String event(int nth) {
        return "data: {\"choices\":[{\"delta\":{\"content\":\"" + nth + " " + "x".repeat(nth % 700) + "\"}}]}\n\n";
    }
}
