package ai.molecule.proxy.delegations;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.messages.DispatchResult;
import ai.molecule.proxy.a2a.messages.LookupResult;
import ai.molecule.proxy.protocol.AnswerText;
import ai.molecule.proxy.protocol.TaskAnswer;
import java.time.Duration;
import java.util.Set;

/** What to do with a delegation after an attempt; decided without clock, network or store. */
sealed interface NextStep {

    /** Nothing was delivered: send it after {@code pause}; {@code counts} unless the platform itself was the reason. */
    record SendAgain(Duration pause, boolean counts) implements NextStep {}

    /** Something was delivered: ask the target about it after {@code pause}. */
    record LookUp(Duration pause, boolean counts) implements NextStep {}

    /** The target fetches its messages, of which {@code message} is one, and will report, or reply. */
    record AwaitReply(ActivityRow message) implements NextStep {}

    /** The target has no capacity. */
    record AwaitCapacity() implements NextStep {}

    /** The target had no capacity in time; the outcome is unknown if the message is at it this moment. */
    record Withdraw(Outcome undelivered, Outcome unknown) implements NextStep {}

    record End(Outcome outcome) implements NextStep {}

    /** The target's own word, which counts whoever holds the claim meanwhile. */
    record Answered(Outcome outcome) implements NextStep {}

    /** A workspace in one of these gets its address by itself. */
    Set<Object> ADDRESS_TO_COME = Set.of("provisioning", "offline");

    static NextStep after(DispatchResult reply, DelegationLimits limits) {
        return switch (reply) {
            case DispatchResult.Answered answered
            when TaskAnswer.asking(answered.body()).isPresent() -> new LookUp(limits.lookEvery(), false);
            case DispatchResult.Answered answered -> new Answered(outcome(answered.body()));
            case DispatchResult.Refused refused -> new Answered(Outcome.failed(refused.error()));
            case DispatchResult.Busy busy -> new AwaitCapacity();
            case DispatchResult.Kept kept -> new AwaitReply(kept.message());
        };
    }

    /** The contract's rule for another try: 502, and 503 while the target restarts; never when something was delivered. */
    static NextStep after(Throwable failure, Delegation delegation, DelegationLimits limits) {
        if (!(failure instanceof ApiError error)) {
            return new End(Outcome.failed("internal error"));
        }
        if (error.publicMessage().startsWith("agent response exceeds")) {
            return new End(Outcome.failed(error.publicMessage()));
        }
        if (Calls.mayHaveArrived(error)) {
            return new LookUp(limits.lookEvery(), false);
        }
        if ("platform_unavailable".equals(error.details().get("code"))) {
            return new SendAgain(limits.tick(), false);
        }
        if (Boolean.TRUE.equals(error.details().get("waking"))) {
            return new SendAgain(limits.firstRetry(), false); // it is in line for its start
        }
        boolean again = error.kind() == ApiError.Kind.BAD_GATEWAY
                || Boolean.TRUE.equals(error.details().get("restarting"))
                || ADDRESS_TO_COME.contains(error.details().getOrDefault("status", ""));
        return again && delegation.tries() + 1 < limits.tries()
                ? new SendAgain(limits.pauseBeforeTry(delegation.tries()), true)
                : new End(Outcome.failed(error.publicMessage()));
    }

    static NextStep after(LookupResult found, Delegation delegation, DelegationLimits limits) {
        return switch (found) {
            case LookupResult.Over over -> new Answered(outcome(over.body()));
            case LookupResult.Working working -> new LookUp(limits.lookEvery(), false);
            case LookupResult.Asks asks -> new LookUp(limits.lookEvery(), false);
            // whoever is asked answers when they like, and an agent may be away meanwhile
            case LookupResult.Unsupported unsupported when delegation.waits() -> new LookUp(limits.lookEvery(), false);
            case LookupResult.NotKnown notKnown when delegation.waits() -> new LookUp(limits.lookEvery(), false);
            case LookupResult.NotReached notReached when delegation.waits() -> new LookUp(limits.lookEvery(), false);
            case LookupResult.Unsupported unsupported ->
                new End(Outcome.unknown("the answer was lost and the agent cannot be asked for it"));
            case LookupResult.NotKnown notKnown ->
                // only bytes still on their way could change that, so half the questions are enough
                askAgain(
                        delegation,
                        limits,
                        limits.lookups() / 2,
                        "the answer was lost and the agent does not know the message");
            case LookupResult.NotReached notReached ->
                askAgain(delegation, limits, limits.lookups(), "the answer was lost and the agent cannot be reached");
        };
    }

    /** Its deadline has passed. */
    static NextStep late(Delegation delegation, DelegationLimits limits) {
        String within = " within " + limits.deadline().toMinutes() + " minutes";
        var undelivered = Outcome.failed("not delivered" + within);
        var unknown = Outcome.unknown("no answer" + within);
        if (delegation.queued()) {
            return new Withdraw(undelivered, unknown);
        }
        return new End(delegation.sent() ? unknown : undelivered);
    }

    /** Whatever the answer says. */
    static Outcome outcome(byte[] body) {
        var said = AnswerText.of(body);
        return said.failed() ? Outcome.failed(said.text()) : Outcome.completed(said.text());
    }

    private static NextStep askAgain(Delegation delegation, DelegationLimits limits, int lookupsMax, String why) {
        return delegation.lookups() + 1 < lookupsMax
                ? new LookUp(limits.pauseBeforeLookup(delegation.lookups()), true)
                : new End(Outcome.unknown(why));
    }
}
