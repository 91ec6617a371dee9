package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Kept;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What reaches those who are shown only a part, while many write: of the table each event that is for them, once and in order,
 * whatever is recorded or said beside it, whenever they joined and on whichever replica.
 */
@ExtendWith(VertxExtension.class)
class HearingOnesPartTest {

    private static final int WRITERS = 8;
    private static final int EACH = 30;
    private static final Pattern POSITION = Pattern.compile("^id: (\\d+)$", Pattern.MULTILINE);

    /** Someone who listens: the positions heard so far, and of which workspaces they should be. */
    private record Listener(Supplier<List<Long>> heard, Set<String> of, long since) {}

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    private final Map<String, UUID> ids = new HashMap<>();
    private final List<Listener> listeners = new ArrayList<>();

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
        for (String name : List.of("lead", "writer", "editor", "intern", "stranger")) {
            ids.put(name, service.organisation.add(name, parentOf(name)));
        }
    }

    @Test
    void each_hears_its_part_of_the_table_once_and_in_order() throws Exception {
        // Given
        write(2).forEach(HearingOnesPartTest::end);
        service.awaitRecorded(2 * EACH);
        var replica = service.replica();

        // When
        var writing = write(WRITERS);
        for (int i = 0; i < 5; i++) {
            var here = i % 2 == 0 ? service : replica;
            long since = i * 12L;
            listenAsAgent(here, "writer", Set.of("writer", "editor", "lead"), since);
            listenAsAgent(here, "intern", Set.of("intern", "editor"), since);
            listenToStream(here, "editor", since);
            service.live("CHAT", id("editor"));
        }
        writing.forEach(HearingOnesPartTest::end);

        // Then
        service.awaitRecorded((2 + WRITERS) * EACH);
        var table = service.recorded();
        for (var listener : listeners) {
            var due = table.stream()
                    .map(row -> row.split(" ", 2))
                    .filter(row -> listener.of.contains(row[1]) && Long.parseLong(row[0]) > listener.since)
                    .map(row -> Long.valueOf(row[0]))
                    .toList();
            await().until(() -> listener.heard.get().size() >= due.size());
            assertThat(listener.heard.get()).isEqualTo(due);
        }
    }

    /** So many writers, each telling of one workspace after the other, the type being its name. */
    private List<Future<?>> write(int writers) {
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        List<Future<?>> writing = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            var random = new Random(writer);
            writing.add(threads.submit(() -> {
                var names = List.copyOf(ids.keySet());
                for (int i = 0; i < EACH; i++) {
                    String name = names.get(random.nextInt(names.size()));
                    service.record(name, id(name));
                }
            }));
        }
        threads.shutdown();
        return writing;
    }

    private void listenAsAgent(EventsFixture replica, String name, Set<String> of, long since) {
        var peer = replica.agent(id(name), null, "?since=" + since);
        listeners.add(new Listener(
                () -> peer.recorded().stream()
                        .map(row -> Long.valueOf(row.substring(0, row.indexOf(' '))))
                        .toList(),
                of,
                since));
    }

    private void listenToStream(EventsFixture replica, String name, long since) {
        var text = new StringBuffer();
        var options = new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setHost("127.0.0.1")
                .setPort(replica.port)
                .setURI("/workspaces/" + id(name) + "/events/stream")
                .putHeader("Last-Event-ID", Long.toString(since));
        Promise<Void> begun = Promise.promise();
        // on an event loop: on this thread the first bytes might come before anybody listens
        replica.vertx.runOnContext(loop -> Kept.kept(replica.vertx.createHttpClient())
                .request(options)
                .compose(request -> request.send())
                .onSuccess(response -> response.handler(bytes -> text.append(bytes.toString())))
                .<Void>mapEmpty()
                .onComplete(begun));
        begun.future().await();
        listeners.add(new Listener(() -> positionsIn(text.toString()), Set.of(name), since));
    }

    private static List<Long> positionsIn(String stream) {
        return POSITION.matcher(stream)
                .results()
                .map(found -> Long.valueOf(found.group(1)))
                .toList();
    }

    private UUID id(String name) {
        return Objects.requireNonNull(ids.get(name));
    }

    private @Nullable UUID parentOf(String name) {
        return switch (name) {
            case "writer", "editor" -> ids.get("lead");
            case "intern" -> ids.get("editor");
            default -> null;
        };
    }

    private static void end(Future<?> writing) {
        try {
            writing.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
