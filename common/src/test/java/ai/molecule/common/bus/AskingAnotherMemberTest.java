package ai.molecule.common.bus;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.ApiError;
import ai.molecule.common.cluster.Members;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A call that meets a member which does not answer. */
class AskingAnotherMemberTest {

    private record Ask(int number) {}

    private record Told(String by) {}

    /** One try that met the mute member would wait for all of it. */
    private static final Contract<Ask, Told> READ =
            new Contract<>("test.read", Ask.class, Told.class, Duration.ofSeconds(20), true);

    private static final Contract<Ask, Told> CHANGE =
            new Contract<>("test.change", Ask.class, Told.class, Duration.ofSeconds(2));

    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void what_only_reads_is_asked_of_another_one_and_what_changes_something_is_not() {
        try (var members = new Members()) {
            var caller = new Bus(members.join("acme", null));
            var mute = new Bus(members.join("acme", null));
            var speaking = new Bus(members.join("acme", null));
            for (var contract : List.of(READ, CHANGE)) {
                mute.serve(contract, ask -> {
                            asked.incrementAndGet();
                            return Promise.<Told>promise().future();
                        })
                        .await();
                speaking.serve(contract, ask -> {
                            asked.incrementAndGet();
                            return Future.succeededFuture(new Told("speaking"));
                        })
                        .await();
            }

            var read = IntStream.range(0, 4)
                    .mapToObj(number -> caller.call(READ, new Ask(number)).await())
                    .toList();
            asked.set(0);
            var changed = IntStream.range(0, 2)
                    .mapToObj(number -> caller.call(CHANGE, new Ask(number))
                            .map(Told::by)
                            .otherwise(failure -> ((ApiError) failure).kind().name())
                            .await())
                    .toList();

            assertThat(read).hasSize(4).containsOnly(new Told("speaking"));
            assertThat(changed).containsExactlyInAnyOrder("speaking", "UNAVAILABLE");
            assertThat(asked).hasValue(2);
        }
    }

    @Test
    void a_refusal_is_an_answer() {
        try (var members = new Members()) {
            var caller = new Bus(members.join("acme", null));
            var refusing = new Bus(members.join("acme", null));
            refusing.serve(READ, ask -> {
                        asked.incrementAndGet();
                        return Future.failedFuture(ApiError.notFound("no such thing"));
                    })
                    .await();

            var answer = caller.call(READ, new Ask(1))
                    .map(Told::by)
                    .otherwise(failure -> ((ApiError) failure).publicMessage())
                    .await();

            assertThat(answer).isEqualTo("no such thing");
            assertThat(asked).hasValue(1);
        }
    }
}
