package ai.molecule.proxy.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The registry is asked seldom, and a lost hint costs no more than the maximum age. */
@ExtendWith(VertxExtension.class)
class RememberingRoutesTest {

    private static final UUID TARGET = UUID.randomUUID();
    private static final UUID CALLER = UUID.randomUUID();

    private final List<ResolveRoute> asked = new CopyOnWriteArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private volatile Supplier<Future<Route>> answer = () -> Future.succeededFuture(route("http://a"));

    @SuppressWarnings("NullAway.Init")
    private Bus bus;

    @SuppressWarnings("NullAway.Init")
    private RouteBook book;

    @BeforeEach
    void open(Vertx vertx) {
        bus = new Bus(vertx);
        bus.serve(ResolveRoute.CONTRACT, question -> {
                    asked.add(question);
                    return answer.get();
                })
                .await();
        book = new RouteBook(bus, nanos::get);
    }

    @Test
    void a_route_is_believed_for_two_seconds_and_then_asked_for_anew() {
        resolve(null);
        pass(Duration.ofMillis(1_999));
        resolve(null);
        assertThat(asked).hasSize(1);

        answer = () -> Future.succeededFuture(quarantined());
        pass(Duration.ofMillis(1));
        assertThat(book.resolve(TARGET, null).await().quarantined()).isTrue();
    }

    @Test
    void while_the_registry_is_away_or_stands_still_a_route_is_good_for_half_a_minute() {
        resolve(null);
        for (Supplier<Future<Route>> away : List.<Supplier<Future<Route>>>of(
                () -> Future.failedFuture(ApiError.platformUnavailable()),
                () -> Promise.<Route>promise().future())) {
            answer = away;
            pass(Duration.ofSeconds(10));
            assertThat(book.resolve(TARGET, null).await().url()).isEqualTo("http://a");
        }

        answer = () -> Future.failedFuture(ApiError.platformUnavailable());
        pass(Duration.ofSeconds(10));
        assertThatThrownBy(() -> resolve(null)).isInstanceOf(ApiError.class);
    }

    @Test
    void an_answer_that_comes_late_is_not_lost(Vertx vertx) {
        resolve(null);
        answer = () -> vertx.timer(700, TimeUnit.MILLISECONDS).map(late -> quarantined());
        pass(Duration.ofSeconds(2));

        assertThat(book.resolve(TARGET, null).await().quarantined()).isFalse();

        await().untilAsserted(() ->
                assertThat(book.resolve(TARGET, null).await().quarantined()).isTrue());
        assertThat(asked).hasSize(2);
    }

    @Test
    void a_verdict_about_a_caller_is_believed_for_two_seconds() {
        resolve(CALLER);
        pass(Duration.ofMillis(1_999));
        resolve(CALLER);
        assertThat(asked).hasSize(1);

        pass(Duration.ofMillis(1));
        resolve(CALLER);
        assertThat(asked).hasSize(2);
    }

    @Test
    void an_answer_without_a_url_is_not_believed_for_long() {
        answer = () -> Future.succeededFuture(route(""));

        resolve(null);
        pass(Duration.ofSeconds(2));
        resolve(null);

        assertThat(asked).hasSize(2);
    }

    @Test
    void a_changed_workspace_is_forgotten_and_so_is_every_verdict() {
        resolve(null);
        resolve(CALLER);

        bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(TARGET, 2));

        await().untilAsserted(() -> {
            resolve(null);
            resolve(CALLER);
            assertThat(asked).hasSize(4);
        });
    }

    @Test
    void a_registry_that_does_not_answer_is_not_guessed_and_asked_again() {
        answer = () -> Future.failedFuture(ApiError.platformUnavailable());
        assertThatThrownBy(() -> resolve(null)).isInstanceOf(ApiError.class);
        answer = () -> Future.succeededFuture(route("http://a"));

        resolve(null);

        assertThat(asked).hasSize(2);
    }

    private void resolve(@Nullable UUID caller) {
        book.resolve(TARGET, caller).await();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static Route quarantined() {
        return new Route(
                true,
                true,
                "n",
                "http://a",
                true,
                Delivery.PUSH,
                WorkspaceStatus.PAUSED,
                true,
                false,
                "echo",
                false,
                1,
                false,
                2);
    }

    private static Route route(String url) {
        return new Route(
                true,
                true,
                "n",
                url,
                true,
                Delivery.PUSH,
                WorkspaceStatus.ONLINE,
                false,
                false,
                "echo",
                false,
                1,
                false,
                1);
    }
}
