package ai.molecule.proxy.delegations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.proxy.a2a.messages.DispatchResult;
import ai.molecule.proxy.a2a.messages.LookupResult;
import ai.molecule.proxy.delegations.NextStep.Answered;
import ai.molecule.proxy.delegations.NextStep.AwaitCapacity;
import ai.molecule.proxy.delegations.NextStep.AwaitReply;
import ai.molecule.proxy.delegations.NextStep.End;
import ai.molecule.proxy.delegations.NextStep.LookUp;
import ai.molecule.proxy.delegations.NextStep.SendAgain;
import ai.molecule.proxy.delegations.NextStep.Withdraw;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What follows an attempt, a question about a lost answer and a deadline: the whole table of {@link NextStep}. */
class DecidingWhatIsNextTest {

    private static final DelegationLimits LIMITS = DelegationLimits.DEFAULT; // 3 tries, 6 questions
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final UUID ID = UUID.fromString("0193a000-0000-7000-8000-000000000001");

    private boolean queued;
    private boolean sent;
    private boolean waits;
    private int tries;
    private int lookups;

    @Test
    void an_answer_is_the_outcome() {
        assertThat(NextStep.after(answered("{\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}}"), LIMITS))
                .isEqualTo(new Answered(Outcome.completed("done")));
        assertThat(NextStep.after(answered("{\"error\":{\"code\":-32000,\"message\":\"no tools\"}}"), LIMITS))
                .isEqualTo(new Answered(Outcome.failed("no tools")));
        assertThat(NextStep.after(new DispatchResult.Refused(500, "broken"), LIMITS))
                .isEqualTo(new Answered(Outcome.failed("broken")));
    }

    @Test
    void a_question_to_a_person_is_none() {
        assertThat(NextStep.after(answered(task("input-required")), LIMITS)).isEqualTo(new LookUp(LOOK, false));
    }

    @Test
    void a_busy_agent_is_waited_for_and_one_that_fetches_gets_its_row() {
        var row = new ActivityRow(
                ID,
                ID,
                "a2a_receive",
                null,
                ID,
                "message/send",
                null,
                null,
                null,
                null,
                null,
                "ok",
                null,
                null,
                null,
                Instant.EPOCH,
                true,
                null);

        assertThat(NextStep.after(new DispatchResult.Busy(), LIMITS)).isEqualTo(new AwaitCapacity());
        assertThat(NextStep.after(new DispatchResult.Kept(row), LIMITS)).isEqualTo(new AwaitReply(row));
    }

    @Test
    void what_may_have_arrived_is_never_sent_again() {
        assertThat(after(error(ApiError.Kind.BAD_GATEWAY, "delivered", true))).isEqualTo(new LookUp(LOOK, false));
        assertThat(after(error(ApiError.Kind.UNAVAILABLE, "delivery_confirmed", false)))
                .isEqualTo(new LookUp(LOOK, false));
    }

    @Test
    void an_answer_that_is_too_long_ends_it_although_it_arrived() {
        var tooLong =
                new ApiError(ApiError.Kind.BAD_GATEWAY, "agent response exceeds 10 MiB", Map.of("delivered", true));

        assertThat(after(tooLong)).isEqualTo(new End(Outcome.failed("agent response exceeds 10 MiB")));
    }

    @Test
    void a_fault_of_our_own_ends_it_and_tells_nothing() {
        assertThat(after(new IllegalStateException("a password"))).isEqualTo(new End(Outcome.failed("internal error")));
    }

    @Test
    void a_platform_that_is_away_costs_no_try_however_many_there_were() {
        tries = 50;

        assertThat(after(ApiError.platformUnavailable())).isEqualTo(new SendAgain(TICK, false));
    }

    @Test
    void an_agent_that_wakes_up_costs_no_try() {
        tries = 50;

        assertThat(after(error(ApiError.Kind.UNAVAILABLE, "waking", true)))
                .isEqualTo(new SendAgain(Duration.ofSeconds(8), false));
    }

    @ParameterizedTest
    @CsvSource({"0,8", "1,16"})
    void one_that_was_not_reached_is_tried_three_times_with_pauses_that_double(int before, int seconds) {
        tries = before;
        var pause = Duration.ofSeconds(seconds);

        assertThat(after(new ApiError(ApiError.Kind.BAD_GATEWAY, "not reached")))
                .isEqualTo(new SendAgain(pause, true));
        assertThat(after(error(ApiError.Kind.UNAVAILABLE, "restarting", true))).isEqualTo(new SendAgain(pause, true));
        assertThat(after(error(ApiError.Kind.UNAVAILABLE, "status", "offline"))).isEqualTo(new SendAgain(pause, true));
        assertThat(after(error(ApiError.Kind.UNAVAILABLE, "status", "provisioning")))
                .isEqualTo(new SendAgain(pause, true));
    }

    @Test
    void the_third_try_was_the_last() {
        tries = 2;

        assertThat(after(new ApiError(ApiError.Kind.BAD_GATEWAY, "not reached")))
                .isEqualTo(new End(Outcome.failed("not reached")));
    }

    @Test
    void a_refusal_is_not_tried_again() {
        assertThat(after(ApiError.forbidden("they may not talk")))
                .isEqualTo(new End(Outcome.failed("they may not talk")));
        assertThat(after(error(ApiError.Kind.UNAVAILABLE, "status", "paused")))
                .isEqualTo(new End(Outcome.failed("no")));
        assertThat(after(error(ApiError.Kind.UNAVAILABLE, "restarting", false)))
                .isEqualTo(new End(Outcome.failed("no")));
        assertThat(after(error(ApiError.Kind.UNAVAILABLE, "waking", false))).isEqualTo(new End(Outcome.failed("no")));
    }

    @Test
    void a_lost_answer_that_is_found_is_the_outcome() {
        assertThat(after(new LookupResult.Over(bytes(task("failed"))))).isInstanceOfSatisfying(Answered.class, step -> {
            assertThat(step.outcome().completed()).isFalse();
            assertThat(step.outcome().unknown()).isFalse();
        });
        assertThat(after(new LookupResult.Over(bytes(task("completed")))))
                .isInstanceOfSatisfying(
                        Answered.class,
                        step -> assertThat(step.outcome().completed()).isTrue());
    }

    @Test
    void work_that_goes_on_is_asked_about_for_ever() {
        lookups = 50;
        var asks = LookupResult.of(bytes(task("input-required")));

        assertThat(after(new LookupResult.Working(null))).isEqualTo(new LookUp(LOOK, false));
        assertThat(asks).isInstanceOf(LookupResult.Asks.class);
        assertThat(after(asks)).isEqualTo(new LookUp(LOOK, false));
    }

    @Test
    void while_a_person_is_asked_an_agent_may_be_away_and_forget() {
        waits = true;
        lookups = 50;

        assertThat(after(new LookupResult.Unsupported())).isEqualTo(new LookUp(LOOK, false));
        assertThat(after(new LookupResult.NotKnown())).isEqualTo(new LookUp(LOOK, false));
        assertThat(after(new LookupResult.NotReached())).isEqualTo(new LookUp(LOOK, false));
    }

    @Test
    void an_agent_that_cannot_be_asked_leaves_it_unknown() {
        assertThat(after(new LookupResult.Unsupported()))
                .isEqualTo(new End(Outcome.unknown("the answer was lost and the agent cannot be asked for it")));
    }

    @ParameterizedTest
    @CsvSource({"0,2", "1,4", "2,8", "3,16", "4,32"})
    void one_that_is_not_reached_is_asked_six_times_with_pauses_that_double(int before, int seconds) {
        lookups = before;

        assertThat(after(new LookupResult.NotReached())).isEqualTo(new LookUp(Duration.ofSeconds(seconds), true));
    }

    @Test
    void the_sixth_question_was_the_last() {
        lookups = 5;

        assertThat(after(new LookupResult.NotReached()))
                .isEqualTo(new End(Outcome.unknown("the answer was lost and the agent cannot be reached")));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void one_that_does_not_know_it_is_asked_half_as_often(int before) {
        lookups = before;

        assertThat(after(new LookupResult.NotKnown())).isEqualTo(new LookUp(LOOK.multipliedBy(1 << before), true));
    }

    @Test
    void after_the_third_not_known_it_is_unknown() {
        lookups = 2;

        assertThat(after(new LookupResult.NotKnown()))
                .isEqualTo(new End(Outcome.unknown("the answer was lost and the agent does not know the message")));
    }

    @Test
    void what_is_late_was_not_delivered_or_is_unknown() {
        assertThat(NextStep.late(delegation(), LIMITS))
                .isEqualTo(new End(Outcome.failed("not delivered within 30 minutes")));

        sent = true;
        assertThat(NextStep.late(delegation(), LIMITS))
                .isEqualTo(new End(Outcome.unknown("no answer within 30 minutes")));

        queued = true;
        assertThat(NextStep.late(delegation(), LIMITS))
                .isEqualTo(new Withdraw(
                        Outcome.failed("not delivered within 30 minutes"),
                        Outcome.unknown("no answer within 30 minutes")));
    }

    private NextStep after(Throwable failure) {
        return NextStep.after(failure, delegation(), LIMITS);
    }

    private NextStep after(LookupResult found) {
        return NextStep.after(found, delegation(), LIMITS);
    }

    private Delegation delegation() {
        return new Delegation(
                ID,
                1,
                "d",
                ID,
                ID,
                "look",
                queued,
                sent,
                tries,
                lookups,
                null,
                null,
                false,
                waits,
                Duration.ofMinutes(1));
    }

    private static DispatchResult answered(String body) {
        return new DispatchResult.Answered(bytes(body));
    }

    private static ApiError error(ApiError.Kind kind, String member, Object value) {
        return new ApiError(kind, "no", Map.of(member, value));
    }

    private static String task(String state) {
        return "{\"result\":{\"kind\":\"task\",\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"%s\"}}}"
                .formatted(state);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
