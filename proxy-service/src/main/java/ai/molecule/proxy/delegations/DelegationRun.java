package ai.molecule.proxy.delegations;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.RepeatedWrites;
import ai.molecule.common.json.Json;
import ai.molecule.common.policy.ToolRules;
import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.messages.Dispatch;
import ai.molecule.proxy.a2a.messages.DispatchResult;
import ai.molecule.proxy.a2a.messages.LookupResult;
import ai.molecule.proxy.leases.LeaseRunner;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.protocol.TaskAnswer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One step of one delegation: sends it, or asks what became of it, and writes down what follows. */
public final class DelegationRun implements LeaseRunner.Worker<Delegation> {

    private final WorkStore store;
    private final Dispatch dispatch;
    private final ToolRules rules;
    private final DelegationLimits limits;
    private final RepeatedWrites repeatedly;
    private boolean stopped;

    /** @param rules asked about what was accepted while nobody could tell what they say of it */
    public DelegationRun(Vertx vertx, WorkStore store, Dispatch dispatch, ToolRules rules, DelegationLimits limits) {
        this.store = store;
        this.dispatch = dispatch;
        this.rules = rules;
        this.limits = limits;
        this.repeatedly = new RepeatedWrites(vertx, () -> stopped);
    }

    @Override
    public void stop() {
        stopped = true;
    }

    /** Completes when the claim was given back; fails when that could not be written down. */
    @Override
    public Future<Void> advance(Delegation delegation) {
        return tried(delegation)
                .compose(next -> stopped
                        ? Future.succeededFuture()
                        : follow(delegation, next).mapEmpty());
    }

    private Future<NextStep> tried(Delegation delegation) {
        if (!delegation.left().isPositive()) {
            return Future.succeededFuture(NextStep.late(delegation, limits));
        }
        if (delegation.sent()) {
            return dispatch.lookUp(delegation.target(), delegation.delegationId())
                    .compose(found -> recorded(delegation, found))
                    .map(found -> NextStep.after(found, delegation, limits));
        }
        return refusal(delegation)
                .compose(refusal -> refusal.isPresent()
                        ? Future.<NextStep>succeededFuture(new NextStep.End(Outcome.failed(refusal.get())))
                        : sent(delegation))
                .otherwise(failure -> NextStep.after(failure, delegation, limits));
    }

    private Future<Optional<String>> refusal(Delegation delegation) {
        return delegation.unjudged()
                ? rules.refusal(delegation.source(), ToolRules.DELEGATE)
                : Future.succeededFuture(Optional.empty());
    }

    private Future<NextStep> sent(Delegation delegation) {
        return dispatch.send(deferred(delegation, null), delegation.left(), () -> sending(delegation))
                .compose(reply -> kept(delegation, reply))
                .map(reply -> NextStep.after(reply, limits));
    }

    /** A question to a person is kept before the next step, which then knows that the clock stands still. */
    private Future<DispatchResult> kept(Delegation delegation, DispatchResult reply) {
        return reply instanceof DispatchResult.Answered answered
                        && TaskAnswer.asking(answered.body()).isPresent()
                ? dispatch.heard(delegation.target(), delegation.delegationId(), answered.body())
                        .otherwiseEmpty()
                        .map(reply)
                : Future.succeededFuture(reply);
    }

    /** The call was lost with its proxy or its connection, so nothing says yet what the target answered. */
    private Future<LookupResult> recorded(Delegation delegation, LookupResult found) {
        if (found instanceof LookupResult.Asks asks) {
            return dispatch.heard(delegation.target(), delegation.delegationId(), asks.body())
                    .map(found);
        }
        return found instanceof LookupResult.Over over
                ? dispatch.tell(deferred(delegation, rowAboutTheAnswer(delegation)), over.body())
                        .otherwiseEmpty()
                        .map(found)
                : Future.succeededFuture(found);
    }

    /** The same each time, so that it is one row whoever asks for the answer again. */
    private static UUID rowAboutTheAnswer(Delegation delegation) {
        return UUID.nameUUIDFromBytes((delegation.delegationId() + " answered").getBytes(StandardCharsets.UTF_8));
    }

    /** Marks the row as sent before the first byte leaves, so that a replica that lost the claim sends nothing. */
    private Future<Void> sending(Delegation delegation) {
        return store.sending(delegation.held())
                .compose(still ->
                        still && !stopped ? Future.succeededFuture() : Future.failedFuture(Calls.superseded()));
    }

    private Future<?> follow(Delegation delegation, NextStep next) {
        var claim = delegation.held();
        return switch (next) {
            case NextStep.SendAgain again -> store.sendAgain(claim, again.pause(), again.counts());
            case NextStep.LookUp again -> store.lookUp(claim, again.pause(), again.counts());
            case NextStep.AwaitReply reply ->
                repeatedly
                        .write(() -> store.awaitReply(claim, reply.message()))
                        .recover(failure -> refused(delegation, failure));
            case NextStep.AwaitCapacity busy ->
                repeatedly
                        .write(() -> store.awaitCapacity(claim, deferred(delegation, null), delegation.delegationId()))
                        .compose(kept -> kept
                                ? Future.succeededFuture(true)
                                : store.sendAgain(claim, limits.firstRetry(), false));
            case NextStep.Withdraw late -> store.withdraw(claim, late.undelivered(), late.unknown());
            case NextStep.Answered answered -> repeatedly.write(() -> store.answered(claim, answered.outcome()));
            case NextStep.End end -> store.end(claim, end.outcome());
        };
    }

    /** A message that the target's feed has no room for is one that was not delivered. */
    private Future<Boolean> refused(Delegation delegation, Throwable failure) {
        return failure instanceof ApiError full
                ? store.end(delegation.held(), Outcome.failed(full.publicMessage()))
                : Future.failedFuture(failure);
    }

    private static Map<String, String> headersOf(Delegation delegation) {
        Map<String, String> headers = new HashMap<>();
        headers.computeIfAbsent(TraceHeaders.PARENT, name -> delegation.traceparent());
        headers.computeIfAbsent(PassportBook.HEADER, name -> delegation.passport());
        return headers;
    }

    private static DeferredMessage deferred(Delegation delegation, @Nullable UUID rowId) {
        var message = Json.object().put("role", "user").put("messageId", delegation.delegationId());
        message.putArray("parts").addObject().put("type", "text").put("text", delegation.task());
        message.putObject("metadata").put("delegation_id", delegation.delegationId());
        var body = Json.object().put("method", "message/send");
        body.putObject("params").set("message", message);
        return new DeferredMessage(
                rowId,
                delegation.target(),
                delegation.source(),
                Json.buffer(body).getBytes(),
                headersOf(delegation));
    }
}
