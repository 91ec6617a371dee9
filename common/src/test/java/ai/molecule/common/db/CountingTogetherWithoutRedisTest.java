package ai.molecule.common.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.redis.FixedWindow;
import ai.molecule.common.redis.RedisStore;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two replicas over one PostgreSQL, ten a minute, with a clock that the test moves; they speak with each other when the test says so. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
@Tag("stores")
class CountingTogetherWithoutRedisTest {

    private volatile Instant now = Instant.parse("2026-03-01T12:00:10Z");
    private String url;
    private Database database;
    private SharedWindows ours;
    private SharedWindows theirs;
    private FixedWindow here;
    private FixedWindow there;

    @BeforeEach
    void open(Vertx vertx) {
        url = TestStores.freshDatabase();
        database = new Database(vertx, url, "log", () -> {});
        InstantSource source = () -> now;
        var clock = source.withZone(ZoneOffset.UTC);
        ours = replica(vertx, clock);
        theirs = replica(vertx, clock);
        here = window(vertx, ours, clock);
        there = window(vertx, theirs, clock);
    }

    @AfterEach
    void close() {
        database.close().await();
        TestStores.drop(url);
    }

    @Test
    void each_adds_what_it_heard_of_the_other_and_no_request_waits_for_it() {
        times(here, 7);
        assertThat(used(there)).isEqualTo(1);
        ours.sync().await();
        assertThat(used(there)).isEqualTo(2);

        theirs.sync().await();

        assertThat(used(there)).isEqualTo(7 + 3);
        assertThat(there.count("key").await().exceeded()).isTrue();
        theirs.sync().await();
        assertThat(used(here)).isEqualTo(8);
        ours.sync().await();
        assertThat(here.count("key").await().exceeded()).isTrue();
    }

    @Test
    void whoever_looks_counts_nothing() {
        times(here, 9);
        ours.sync().await();
        used(there);
        theirs.sync().await();

        assertThat(here.look("key").await().used()).isEqualTo(9);
        assertThat(here.look("key").await().exhausted()).isFalse();
        assertThat(there.look("key").await().used()).isEqualTo(9 + 1);
        assertThat(there.look("key").await().exhausted()).isTrue();
        assertThat(there.look("another").await().used()).isZero();
        now = now.plus(Duration.ofMinutes(1));
        assertThat(there.look("key").await().used()).isZero();
    }

    @Test
    void other_keys_and_other_windows_have_counts_of_their_own() {
        times(here, 9);
        ours.sync().await();
        used(there);
        there.count("another").await();
        theirs.sync().await();
        assertThat(there.count("another").await().used()).isEqualTo(2);
        assertThat(used(there)).isEqualTo(9 + 2);

        now = now.plus(Duration.ofMinutes(1));

        assertThat(used(there)).isEqualTo(1);
        ours.sync().await();
        theirs.sync().await();
        assertThat(used(there)).isEqualTo(2);
    }

    @Test
    void what_could_not_be_told_is_told_later() {
        database.run("ALTER TABLE log.rate_windows RENAME TO out_of_reach").await();
        times(here, 5);
        used(there);
        assertThatThrownBy(() -> ours.sync().await()).hasMessageContaining("rate_windows");
        assertThatThrownBy(() -> theirs.sync().await()).hasMessageContaining("rate_windows");
        assertThat(used(there)).isEqualTo(2);
        database.run("ALTER TABLE log.out_of_reach RENAME TO rate_windows").await();

        ours.sync().await();
        theirs.sync().await();

        assertThat(used(there)).isEqualTo(5 + 3);
    }

    @Test
    void a_bounded_number_of_keys_is_shared_and_the_rest_counted_here_alone() {
        for (int i = 0; i < SharedWindows.KEYS_MAX; i++) {
            here.count("key-" + i).await();
        }
        times(here, 3);
        ours.sync().await();
        used(there);
        theirs.sync().await();

        assertThat(rows("true")).isEqualTo(SharedWindows.KEYS_MAX + 1);
        assertThat(used(there)).isEqualTo(2);
        assertThat(used(here)).isEqualTo(4);

        now = now.plus(Duration.ofMinutes(1));
        ours.sync().await();
        times(here, 3);
        ours.sync().await();
        used(there);
        theirs.sync().await();
        assertThat(used(there)).isEqualTo(3 + 2);
    }

    @Test
    void what_is_over_is_deleted_by_whoever_syncs_next() {
        times(here, 3);
        ours.sync().await();
        assertThat(rows("expires_at > now()")).isEqualTo(1);
        database.run("UPDATE log.rate_windows SET expires_at = now()").await();
        there.count("another").await();

        theirs.sync().await();

        assertThat(rows("counter LIKE '%:key:%'")).isZero();
        assertThat(rows("true")).isEqualTo(1);
    }

    private SharedWindows replica(Vertx vertx, Clock clock) {
        return new SharedWindows(vertx, database, new Reconcilers(clock).add("rate-windows", "counts"), clock);
    }

    private static FixedWindow window(Vertx vertx, SharedWindows shared, Clock clock) {
        return new FixedWindow(new RedisStore(vertx, null), shared, clock, "rate", 10, Duration.ofMinutes(1));
    }

    private static void times(FixedWindow window, int times) {
        for (int i = 0; i < times; i++) {
            used(window);
        }
    }

    private static long used(FixedWindow window) {
        return window.count("key").await().used();
    }

    private long rows(String which) {
        return database.query("SELECT count(*) FROM log.rate_windows WHERE " + which)
                .await()
                .iterator()
                .next()
                .getLong(0);
    }
}
