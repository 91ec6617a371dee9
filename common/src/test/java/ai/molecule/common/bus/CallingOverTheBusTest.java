package ai.molecule.common.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Typed calls: what arrives, and how failures arrive. */
@ExtendWith(VertxExtension.class)
class CallingOverTheBusTest {

    private record Greet(String name) {}

    private record Greeting(String text) {}

    private static final Contract<Greet, Greeting> GREET =
            new Contract<>("test.greet", Greet.class, Greeting.class, Duration.ofSeconds(60));

    /** The same for who is not to get an answer. */
    private static final Contract<Greet, Greeting> GREET_BRIEFLY =
            new Contract<>(GREET.address(), Greet.class, Greeting.class, Duration.ofMillis(300));

    private static final Hint<Greet> GREETED = new Hint<>("test.greeted", Greet.class);

    private record Told(List<String> names) {}

    private static final Hint<Told> TOLD = new Hint<>("test.told", Told.class);

    @Test
    void a_request_is_answered_with_the_reply(Vertx vertx) {
        var bus = new Bus(vertx);
        bus.serve(GREET, greet -> Future.succeededFuture(new Greeting("hello " + greet.name())))
                .await();

        assertThat(bus.call(GREET, new Greet("ada")).await()).isEqualTo(new Greeting("hello ada"));
    }

    @Test
    void an_api_error_arrives_as_it_was_raised(Vertx vertx) {
        var bus = new Bus(vertx);
        bus.serve(
                        GREET,
                        greet -> Future.failedFuture(
                                new ApiError(ApiError.Kind.UNAVAILABLE, "busy", Map.of("retry_after", 3))))
                .await();

        assertThatThrownBy(() -> bus.call(GREET, new Greet("ada")).await())
                .isInstanceOfSatisfying(ApiError.class, error -> {
                    assertThat(error.kind()).isEqualTo(ApiError.Kind.UNAVAILABLE);
                    assertThat(error.publicMessage()).isEqualTo("busy");
                    assertThat(error.details()).containsEntry("retry_after", 3);
                });
    }

    @Test
    void any_other_failure_tells_the_caller_nothing_of_its_inside(Vertx vertx) {
        var bus = new Bus(vertx);
        bus.serve(GREET, greet -> Future.failedFuture(new IllegalStateException("password wrong")))
                .await();

        assertThatThrownBy(() -> bus.call(GREET, new Greet("ada")).await())
                .isInstanceOfSatisfying(
                        ApiError.class, error -> assertThat(error.kind()).isEqualTo(ApiError.Kind.INTERNAL))
                .hasMessage("internal error");
    }

    @Test
    void nobody_serving_and_nobody_answering_in_time_are_unavailable(Vertx vertx) {
        var bus = new Bus(vertx);
        assertThatThrownBy(() -> bus.call(GREET, new Greet("ada")).await())
                .isInstanceOfSatisfying(
                        ApiError.class, error -> assertThat(error.kind()).isEqualTo(ApiError.Kind.UNAVAILABLE));

        bus.serve(GREET, greet -> Promise.<Greeting>promise().future()).await();
        assertThatThrownBy(() -> bus.call(GREET_BRIEFLY, new Greet("ada")).await())
                .isInstanceOfSatisfying(
                        ApiError.class, error -> assertThat(error.kind()).isEqualTo(ApiError.Kind.UNAVAILABLE));
    }

    @Test
    void a_hint_reaches_every_listener_and_a_poke_only_one(Vertx vertx) {
        var bus = new Bus(vertx);
        List<String> heard = new CopyOnWriteArrayList<>();
        var first = bus.listen(GREETED, greet -> heard.add("first " + greet.name()));
        var second = bus.listen(GREETED, greet -> heard.add("second " + greet.name()));
        Future.all(first.completion(), second.completion()).await();

        bus.publish(GREETED, new Greet("all"));
        await().untilAsserted(() -> assertThat(heard).containsExactlyInAnyOrder("first all", "second all"));
        heard.clear();
        bus.poke(GREETED, new Greet("one"));
        bus.publish(GREETED, new Greet("end"));

        await().untilAsserted(() -> assertThat(heard).hasSize(3));
        assertThat(heard.stream().filter(entry -> entry.endsWith("one"))).hasSize(1);
    }

    @Test
    void a_record_is_read_from_another_process_as_it_was_written_wherever_it_stands() {
        var codec = new RecordCodec();
        var wire = Buffer.buffer("head");
        codec.encodeToWire(wire, new Greet("ada"));
        wire.appendString("tail");

        assertThat(Bus.decode(codec.decodeFromWire("head".length(), wire), Greet.class))
                .isEqualTo(new Greet("ada"));
    }

    @Test
    void a_hint_that_is_lost_on_its_way_holds_nobody(Vertx vertx) {
        vertx.eventBus().addOutboundInterceptor(lost -> {});

        var ahead = new Bus(vertx).publishAhead(GREETED, new Greet("nobody"));

        assertThat(ahead.timeout(60, TimeUnit.SECONDS).map(true).await()).isTrue();
    }

    @Test
    void what_is_published_in_one_turn_arrives_as_one_and_later_things_behind_it(Vertx vertx) {
        var bus = new Bus(vertx);
        List<List<String>> heard = new CopyOnWriteArrayList<>();
        bus.listen(TOLD, told -> heard.add(told.names())).completion().await();

        vertx.runOnContext(turn -> {
            bus.publishTogether(TOLD, "ada", Told::new);
            bus.publishTogether(TOLD, "bob", Told::new);
            vertx.runOnContext(next -> vertx.runOnContext(later -> bus.publishTogether(TOLD, "cyd", Told::new)));
        });

        await().untilAsserted(() -> assertThat(heard).containsExactly(List.of("ada", "bob"), List.of("cyd")));
    }

    @Test
    void services_that_share_a_process_hand_each_other_the_record_itself(Vertx vertx) {
        List<Greet> heard = new CopyOnWriteArrayList<>();
        new Bus(vertx).listen(GREETED, heard::add).completion().await();
        var greet = new Greet("ada");

        new Bus(vertx).publish(GREETED, greet);

        await().untilAsserted(() -> assertThat(heard).singleElement().isSameAs(greet));
    }
}
