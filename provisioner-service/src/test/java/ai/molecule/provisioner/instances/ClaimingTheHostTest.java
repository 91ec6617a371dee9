package ai.molecule.provisioner.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Database;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.common.testing.Cable;
import ai.molecule.common.testing.TestStores;
import ai.molecule.provisioner.backend.AgentHost;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Provisioners of two machines on one database. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
@Tag("stores")
class ClaimingTheHostTest {

    private static final Duration TERM = Duration.ofSeconds(3);

    private final URI url = URI.create(TestStores.freshDatabase());
    private final AtomicInteger losses = new AtomicInteger();
    private Vertx vertx;
    private Database database;

    @BeforeEach
    void open(Vertx vertx) {
        this.vertx = vertx;
        database = new Database(vertx, url.toString(), "provisioner", () -> {});
    }

    @AfterEach
    void close() {
        database.close().await();
    }

    @Test
    void another_host_is_refused_for_as_long_as_one_lives_and_told_what_to_do() {
        var one = claim("one");
        one.take(losses::incrementAndGet).await();

        var other = claim("other");
        assertThatThrownBy(() -> other.take(losses::incrementAndGet).await())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("machine one")
                .hasMessageContaining("machine other")
                .hasMessageContaining("stop the provisioner there");
        assertThat(other.isHeld()).isFalse();
        assertThat(one.isHeld()).isTrue();
        assertThat(losses).hasValue(0);
        one.release().await();
    }

    @Test
    void a_term_that_ended_while_nobody_could_renew_is_not_taken_from_a_host_that_lives() {
        var one = claim("one");
        one.take(losses::incrementAndGet).await();
        database.run("UPDATE agent_host SET held_until = now() - interval '1 hour'")
                .await(); // as it is when the database is back

        assertThatThrownBy(() -> claim("other").take(losses::incrementAndGet).await())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("machine one");

        assertThat(one.isHeld()).isTrue();
        assertThat(losses).hasValue(0);
        one.release().await();
    }

    @Test
    void provisioners_of_the_same_host_share_it_and_one_that_comes_back_after_a_crash_has_it_at_once() {
        var one = claim("one");
        var beside = claim("one");
        one.take(losses::incrementAndGet).await();

        beside.take(losses::incrementAndGet).await();

        assertThat(beside.isHeld()).isTrue();
        assertThat(one.isHeld()).isTrue();
        one.release().await();
        beside.release().await();
    }

    @Test
    void another_host_follows_at_once_on_one_that_was_stopped_and_after_a_term_on_one_that_vanished() {
        var stopped = claim("stopped");
        stopped.take(losses::incrementAndGet).await();
        stopped.release().await();

        var process = Vertx.vertx();
        var vanished = new PgHostClaim(process, database, of("vanishes"), TERM, report());
        vanished.take(losses::incrementAndGet).await();
        assertThat(vanished.isHeld()).isTrue();
        process.close().await(); // its timers end with it, and it says nothing

        var next = claim("next");
        next.take(losses::incrementAndGet).await();
        assertThat(next.isHeld()).isTrue();
        next.release().await();
    }

    @Test
    void a_host_whose_term_passed_while_it_was_cut_off_acts_no_more_and_hears_that_it_lost_it() {
        var cable = new Cable(vertx, url);
        var far = new Database(
                vertx, url.toString().replace(":" + url.getPort(), ":" + cable.port()), "provisioner", () -> {});
        var cutOff = new PgHostClaim(vertx, far, of("cut off"), TERM, report());
        cutOff.take(losses::incrementAndGet).await();

        cable.cut();
        await().until(() -> !cutOff.isHeld());
        assertThat(losses).hasValue(0);
        claim("next").take(() -> {}).await();
        cable.join();

        await().untilAsserted(() -> assertThat(losses).hasValue(1));
        assertThat(cutOff.isHeld()).isFalse();
        far.close().await();
    }

    @Test
    void who_cannot_tell_its_host_yet_waits_and_acts_when_it_can() {
        var known = new AtomicBoolean();
        var late = new PgHostClaim(
                vertx,
                database,
                () -> known.get() ? of("late").get() : Future.failedFuture("the engine is away"),
                TERM,
                report());

        late.take(losses::incrementAndGet).await();
        assertThat(late.isHeld()).isFalse();
        known.set(true);

        await().until(late::isHeld);
        late.release().await();
    }

    @Test
    void nobody_is_locked_from_where_it_is_not_held() {
        var pool = database.pool();
        assertThat(new PgInstanceStore(pool, () -> false)
                        .tryLock(UUID.randomUUID())
                        .await())
                .isEmpty();
    }

    private PgHostClaim claim(String name) {
        return new PgHostClaim(vertx, database, of(name), TERM, report());
    }

    private static RunReport report() {
        return new Reconcilers(Clock.systemUTC()).add("agent-host", "tests");
    }

    private static Supplier<Future<Optional<AgentHost>>> of(String name) {
        return () -> Future.succeededFuture(Optional.of(new AgentHost(name, "machine " + name)));
    }
}
