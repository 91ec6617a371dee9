package ai.molecule.proxy.streams;

import static ai.molecule.common.testing.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.Dying;
import ai.molecule.proxy.a2a.calls.A2aLimits;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.protocol.TaskState;
import ai.molecule.proxy.streams.StreamStore.Addition;
import ai.molecule.proxy.streams.StreamStore.Entry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.sqlclient.Tuple;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the journal's tables promise, whoever writes at the same time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("stores")
class KeepingStreamsTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Optional<Instant> JUDGING = Optional.of(Instant.now().plus(Duration.ofDays(1)));

    /** Of those that keep streams here: they judge after so long. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final Vertx vertx = Vertx.vertx();

    @SuppressWarnings("NullAway.Init")
    private Database database;

    @SuppressWarnings("NullAway.Init")
    private StreamStore store;

    @BeforeAll
    void open() {
        String url = TestStores.freshDatabase();
        Postgres.migrate(vertx, url, "log").await();
        Postgres.migrate(vertx, url, "proxy").await();
        database = new Database(vertx, url, "proxy", () -> {});
        store = new PgStreamStore(database);
    }

    @AfterAll
    void close() {
        vertx.close().await();
    }

    @Test
    void events_are_read_back_in_order_from_any_position() {
        var owner = living();
        var head = begun(owner, 3);

        assertThat(texts(head, 0)).containsExactly("1", "2", "3");
        assertThat(texts(head, 2)).containsExactly("3");
        assertThat(found(head).lastN()).isEqualTo(3);
    }

    @Test
    void a_repeated_commit_adds_nothing_twice() {
        var owner = living();
        var head = begun(owner, 2);

        store.append(owner, List.of(head), List.of(add(head, 1, 2, null, false)))
                .await();
        store.trim(1_000, 2, 10).await(); // would cut if the bytes had been counted twice

        assertThat(texts(head, 0)).containsExactly("1", "2");
    }

    @Test
    void a_stream_of_one_that_is_gone_is_adopted_once_and_its_old_owner_is_refused() {
        var gone = UUID.randomUUID();
        var head = begun(gone, 2);
        var heir = living();

        var adopted = store.adopt(heir, LEASE, JUDGING, 10).await();
        var again = store.adopt(living(), LEASE, JUDGING, 10).await();
        var refused = store.append(gone, List.of(), List.of(add(head, 3, 3, null, false)))
                .await();
        var taken = store.append(heir, List.of(), List.of(add(head, 3, 3, null, false)))
                .await();

        assertThat(adopted).extracting(StreamHead::id).containsExactly(head.id());
        assertThat(adopted.getFirst().starts()).containsExactly(1, 3);
        assertThat(adopted.getFirst().origin().request()).isEqualTo("{}".getBytes());
        assertThat(again).isEmpty();
        assertThat(refused).isEmpty();
        assertThat(taken).containsExactly(head.id());
        assertThat(found(head).at(2).text()).endsWith(".1-2");
        assertThat(found(head).at(3).text()).endsWith(".2-3");
    }

    @Test
    void a_stream_whose_owner_lives_is_not_adopted_and_after_its_goodbye_it_is() {
        var owner = living();
        var head = begun(owner, 1);

        var before = store.adopt(living(), LEASE, JUDGING, 10).await();
        store.resign(owner).await();
        var after = store.adopt(living(), LEASE, JUDGING, 10).await();

        assertThat(before).extracting(StreamHead::id).doesNotContain(head.id());
        assertThat(after).extracting(StreamHead::id).contains(head.id());
    }

    @Test
    void
            streams_of_owners_not_seen_are_left_alone_while_nobody_may_judge_and_those_of_owners_that_said_goodbye_are_not() {
        var silent = living();
        var unseen = begun(silent, 1);
        var left = begun(living(), 1);
        store.resign(left.owner()).await();

        var unjudged = store.adopt(living(), Duration.ofMillis(-1), Optional.empty(), 10)
                .await();
        var late = store.adopt(
                        living(),
                        Duration.ofMillis(-1),
                        Optional.of(Instant.now().minusSeconds(60)),
                        10)
                .await();
        var judged = store.adopt(living(), Duration.ofMillis(-1), JUDGING, 100).await();

        assertThat(unjudged).extracting(StreamHead::id).contains(left.id()).doesNotContain(unseen.id());
        assertThat(late).extracting(StreamHead::id).doesNotContain(unseen.id());
        assertThat(judged).extracting(StreamHead::id).contains(unseen.id());
    }

    @Test
    void after_an_outage_a_replica_leaves_the_streams_of_the_living_until_they_had_a_lease_to_be_seen_again() {
        var peer = living();
        var head = begun(peer, 1);
        var away = new AtomicBoolean();
        var renewals = new AtomicInteger();
        var adopters = new CopyOnWriteArrayList<Optional<?>>();
        var through = (StreamStore) Proxy.newProxyInstance(
                StreamStore.class.getClassLoader(), new Class<?>[] {StreamStore.class}, (self, method, arguments) -> {
                    if (away.get()) {
                        return Future.failedFuture("away");
                    }
                    if (method.getName().equals("renew")) {
                        renewals.incrementAndGet();
                    }
                    if (method.getName().equals("adopt")) {
                        adopters.add((Optional<?>) arguments[2]);
                    }
                    return method.invoke(store, arguments);
                });
        var keeping = keeping(through, new CopyOnWriteArrayList<>());
        keeping.start().await();
        await().until(() -> {
            store.renew(peer).await();
            return adopters.stream().anyMatch(Optional::isPresent);
        });

        away.set(true);
        await().until(() -> isUnseen(peer));
        adopters.clear();
        int before = renewals.get();
        away.set(false);
        await().until(() -> renewals.get() > before && !adopters.isEmpty());
        store.renew(peer).await(); // later than the other, but in time

        assertThat(adopters.getFirst()).isEmpty();
        assertThat(found(head).owner()).isEqualTo(peer);
        keeping.stop();
    }

    @Test
    void an_adoption_whose_answer_is_lost_is_found_again_and_a_stream_of_its_own_is_left_alone() {
        var heir = UUID.randomUUID();
        var losing = Dying.forAMomentAfter("adopt");
        var lossy = losing.of(StreamStore.class, store);
        var limits = with(
                JournalLimits.DEFAULT,
                Map.of("lease", SHORT, "tick", Duration.ofMillis(50), "patience", Duration.ofSeconds(1)));
        var meters = new SimpleMeterRegistry();
        var streams =
                new Streams(vertx, new Bus(vertx), lossy, A2aLimits.DEFAULT.relay(), limits, heir, report(), meters);
        List<UUID> followed = new CopyOnWriteArrayList<>();
        var keeping = new StreamKeeping(
                vertx, streams, lossy, limits, following(followed), new Reconcilers(Clock.systemUTC()), meters);
        var working = new Sighting("t", "c", TaskState.WORKING, "{\"state\":\"working\"}");
        var orphan = begun(UUID.randomUUID(), 1);
        store.append(orphan.owner(), List.of(), List.of(add(orphan, 2, 2, working, false)))
                .await();
        var own = begun(heir, 1);

        keeping.start().await();
        await().until(losing::dead);

        await().until(() -> followed.contains(orphan.id()));
        await().until(() -> !found(orphan).goesOn());
        keeping.stop();
        assertThat(found(orphan).starts()).containsExactly(1, 3);
        assertThat(followed).doesNotHaveDuplicates().doesNotContain(own.id());
        assertThat(found(own).goesOn()).isTrue();
    }

    @Test
    void a_replica_that_takes_long_to_forget_old_streams_lives_and_adopts_meanwhile() {
        var forgetting = Promise.<Object>promise();
        var begun = new AtomicBoolean();
        var renewedSince = new AtomicInteger();
        var slow = answering((method, answer) -> switch (method) {
            case "forget" -> {
                begun.set(true);
                yield forgetting.future();
            }
            case "renew" -> {
                renewedSince.addAndGet(begun.get() ? 1 : 0);
                yield answer.get();
            }
            default -> answer.get();
        });
        List<UUID> followed = new CopyOnWriteArrayList<>();
        var keeping = keeping(slow, followed);

        keeping.start().await();
        await().untilTrue(begun);
        var orphan = orphan();

        await().until(() -> renewedSince.get() > 20);
        await().until(() -> followed.contains(orphan.id()));
        forgetting.complete(0);
        keeping.stop();
    }

    @Test
    void what_a_replica_adopts_while_it_stops_is_left_to_the_next() {
        var holding = Promise.<Void>promise();
        List<UUID> adopted = new CopyOnWriteArrayList<>();
        var wentOn = new AtomicBoolean();
        var late = answering((method, answer) -> {
            if (!method.equals("adopt")) {
                wentOn.compareAndSet(
                        false, method.equals("canceledOf") && holding.future().isComplete());
                return answer.get();
            }
            return answer.get().compose(heads -> {
                ((List<?>) heads).forEach(head -> adopted.add(((StreamHead) head).id()));
                return adopted.isEmpty()
                        ? Future.succeededFuture(heads)
                        : holding.future().map(heads);
            });
        });
        List<UUID> followed = new CopyOnWriteArrayList<>();
        var keeping = keeping(late, followed);
        keeping.start().await();
        var orphan = orphan();
        await().until(() -> adopted.contains(orphan.id()));

        keeping.stop();
        holding.complete();
        await().untilTrue(wentOn);

        assertThat(followed).isEmpty();
        assertThat(found(orphan).goesOn()).isTrue();
    }

    private boolean isUnseen(UUID owner) {
        return database.query(
                        "SELECT seen_at < now() - interval '1 second' FROM proxies WHERE id = $1", Tuple.of(owner))
                .await()
                .iterator()
                .next()
                .getBoolean(0);
    }

    /** Ticks fast, and has a store that answers as it likes. */
    private StreamKeeping keeping(StreamStore through, List<UUID> followed) {
        var limits = with(
                JournalLimits.DEFAULT,
                Map.of("lease", SHORT, "tick", Duration.ofMillis(20), "patience", Duration.ofSeconds(1)));
        var meters = new SimpleMeterRegistry();
        var streams = new Streams(
                vertx, new Bus(vertx), through, A2aLimits.DEFAULT.relay(), limits, UUID.randomUUID(), report(), meters);
        return new StreamKeeping(
                vertx, streams, through, limits, following(followed), new Reconcilers(Clock.systemUTC()), meters);
    }

    private StreamStore answering(BiFunction<String, Supplier<Future<Object>>, Future<Object>> how) {
        return (StreamStore) Proxy.newProxyInstance(
                StreamStore.class.getClassLoader(),
                new Class<?>[] {StreamStore.class},
                (self, method, arguments) -> how.apply(method.getName(), () -> {
                    try {
                        return ((Future<?>) method.invoke(store, arguments)).map(answer -> (Object) answer);
                    } catch (ReflectiveOperationException impossible) {
                        throw new IllegalStateException(impossible);
                    }
                }));
    }

    private static RunReport report() {
        return new Reconcilers(Clock.systemUTC()).add("stream-journal", "writes");
    }

    /** Of one that went when its task was known. */
    private StreamHead orphan() {
        var owner = living();
        var head = begun(owner, 1);
        var working = new Sighting("t", "c", TaskState.WORKING, "{\"state\":\"working\"}");
        store.append(owner, List.of(), List.of(add(head, 2, 2, working, false))).await();
        store.resign(owner).await();
        return head;
    }

    /** No agent follows its task any more. */
    private static TaskFollower following(List<UUID> asked) {
        return new TaskFollower() {
            @Override
            public Future<HttpClientResponse> follow(StreamHead head) {
                asked.add(head.id());
                return Future.failedFuture("gone");
            }

            @Override
            public void ended(StreamHead head, Relay.End end) {}
        };
    }

    @Test
    void the_oldest_events_of_a_full_stream_go_and_the_newest_stay() {
        var owner = living();
        var many = begun(owner, 9);

        store.trim(4, 1_000, 10).await();

        assertThat(texts(many, 0)).containsExactly("6", "7", "8", "9");
        assertThat(found(many).firstN()).isEqualTo(6);

        store.trim(4, 2, 10).await();

        assertThat(texts(many, 0)).containsExactly("8", "9");
        assertThat(found(many).firstN()).isEqualTo(8);
    }

    @Test
    void an_event_larger_than_all_that_may_be_kept_leaves_an_empty_stream_that_goes_on() {
        var owner = living();
        var head = begun(owner, 1);

        store.trim(4, 0, 10).await();
        store.append(owner, List.of(), List.of(add(head, 2, 2, null, false))).await();

        assertThat(texts(head, 0)).containsExactly("2");
        assertThat(found(head).firstN()).isEqualTo(2);
    }

    @Test
    void an_ended_stream_is_forgotten_when_it_is_old_and_an_open_one_never() {
        var owner = living();
        var open = begun(owner, 1);
        var ended = begun(owner, 1);
        store.append(owner, List.of(), List.of(add(ended, 2, 2, null, true))).await();

        store.forget(Duration.ofHours(1), 100).await();
        assertThat(store.find(ended.id()).await()).isPresent();
        store.forget(Duration.ZERO, 100).await();

        assertThat(store.find(ended.id()).await()).isEmpty();
        assertThat(store.after(ended.id(), 0, 10).await()).isEmpty();
        assertThat(store.find(open.id()).await()).isPresent();
    }

    @Test
    void a_canceled_task_is_shown_to_the_owner_of_its_open_stream() {
        var owner = living();
        var head = begun(owner, 1);
        var working = new Sighting("t-" + head.id(), "c", TaskState.WORKING, "{\"state\":\"working\"}");
        store.append(owner, List.of(), List.of(add(head, 2, 2, working, false))).await();

        store.canceled(
                        head.origin().workspaceId(),
                        new Sighting(working.taskId(), "c", TaskState.CANCELED, "{\"x\":1}"))
                .await();

        var shown = store.canceledOf(owner).await();
        assertThat(shown).hasSize(1);
        assertThat(shown.getFirst().canceled()).isEqualTo("{\"x\":1}");
        assertThat(store.findOfTask(head.origin().workspaceId(), working.taskId())
                        .await()
                        .orElseThrow()
                        .task())
                .isEqualTo(working);
    }

    private UUID living() {
        var owner = UUID.randomUUID();
        store.renew(owner).await();
        return owner;
    }

    private StreamHead begun(UUID owner, int events) {
        var origin = new StreamHead.Origin(
                UUID.randomUUID(), null, Protocol.V0_3, "message/stream", "1", "{}".getBytes(), 1);
        var head = StreamHead.begun(UUID.randomUUID(), owner, origin);
        store.append(owner, List.of(head), List.of(add(head, 1, events, null, false)))
                .await();
        return head;
    }

    private static Addition add(StreamHead head, int from, int to, @Nullable Sighting task, boolean ended) {
        List<Entry> entries = new ArrayList<>();
        for (int n = from; n <= to; n++) {
            entries.add(new Entry(n, Buffer.buffer(String.valueOf(n))));
        }
        return new Addition(head.id(), entries, task, ended, null);
    }

    private StreamHead found(StreamHead head) {
        return store.find(head.id()).await().orElseThrow();
    }

    private List<String> texts(StreamHead head, int after) {
        return store.after(head.id(), after, 100).await().stream()
                .map(entry -> entry.body().toString())
                .toList();
    }
}
