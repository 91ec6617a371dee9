package ai.molecule.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is remembered of a token is over at once when something of its workspace changes, and not only when it is old. */
class ForgettingVerdictsTest {

    private static final UUID WORKSPACE = UUID.randomUUID();
    private static final VerifyToken QUESTION = new VerifyToken("a hash", null);
    private static final Verdict OF_A_TOKEN =
            new Verdict(Holder.WORKSPACE, WORKSPACE, null, Standing.ADMITTED, null, true, false);
    private static final Verdict OF_A_MODEL_KEY =
            new Verdict(Holder.MODEL_KEY, null, null, Standing.ADMITTED, null, true, false, WORKSPACE);

    @Test
    void of_a_token_and_of_the_model_key_made_from_it() {
        for (var verdict : List.of(OF_A_TOKEN, OF_A_MODEL_KEY)) {
            var reads = new AtomicInteger();
            var verdicts = new VerdictCache();
            Runnable ask = () -> verdicts.get(QUESTION, question -> {
                        reads.incrementAndGet();
                        return Future.succeededFuture(verdict);
                    })
                    .await();

            ask.run();
            ask.run();
            verdicts.changed(UUID.randomUUID());
            ask.run();
            assertThat(reads).as("%s, of others", verdict.holder()).hasValue(1);

            verdicts.changed(WORKSPACE);
            ask.run();
            assertThat(reads).as("%s, its own", verdict.holder()).hasValue(2);
        }
    }

    /** As of a viewer of a tenant with many roots, whose program looks at one workspace after the other. */
    @Test
    void of_a_person_of_many_branches_no_more_are_held_than_all_their_branches_may_be() {
        var branches = Stream.generate(UUID::randomUUID).limit(10_000).toList();
        var person = new Person(UUID.randomUUID(), "kim", "Kim", null, Role.VIEWER, branches, "session:12345678");
        var verdict = new Verdict(Holder.PERSON, null, null, Standing.ADMITTED, null, true, true, null, person);
        var verdicts = new VerdictCache();

        for (int i = 0; i < 1_000; i++) {
            verdicts.get(new VerifyToken("a hash", UUID.randomUUID()), question -> Future.succeededFuture(verdict))
                    .await();
        }

        assertThat(verdicts.size()).isBetween(1L, 50L);
    }
}
