package ai.molecule.proxy.delegations;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.messages.ReplyListener;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.protocol.TaskAnswer;
import ai.molecule.proxy.queue.QueueOutcome;
import ai.molecule.proxy.queue.QueueOutcomeListener;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The rules of giving work to others and of hearing what became of it. */
public final class DelegationService implements ReplyListener, QueueOutcomeListener {

    /** A delegation that was accepted, now or before. */
    record Accepted(String delegationId, String status, boolean repeated) {}

    private final PgDelegationStore store;
    private final PassportBook passports;
    private final Function<UUID, Future<Void>> settle;
    private final Supplier<UUID> ids;
    private final Duration deadline;
    private Runnable accepted = () -> {};

    /** @param settle completes when what an agent is at is written down, because what it hands on belongs to that */
    public DelegationService(
            PgDelegationStore store,
            PassportBook passports,
            Function<UUID, Future<Void>> settle,
            Supplier<UUID> ids,
            Duration deadline) {
        this.store = store;
        this.passports = passports;
        this.settle = settle;
        this.ids = ids;
        this.deadline = deadline;
    }

    /** Sets who is poked after a commit when there is something to do. */
    public void tell(Runnable toDo) {
        accepted = toDo;
    }

    /** Durable when it completes. Fails with CONFLICT when the idempotency key came with another task before. */
    Future<Accepted> delegate(NewDelegation wanted) {
        String id = ids.get().toString();
        return handedOn(wanted, id)
                .compose(handed -> settle.apply(wanted.source()).compose(settled -> store.accept(handed, id, deadline)))
                .onSuccess(done -> accepted.run());
    }

    /** One that is given again is under the target's passport already. */
    private Future<NewDelegation> handedOn(NewDelegation wanted, String id) {
        String shown = wanted.passport();
        return shown == null || wanted.handedOn()
                ? Future.succeededFuture(wanted)
                : passports
                        .issue(new IssuePassport(
                                wanted.target(),
                                null,
                                wanted.source(),
                                shown,
                                null,
                                id,
                                wanted.limit(),
                                null,
                                null,
                                false))
                        .map(wanted::under);
    }

    /**
     * The same task for the same target, in the trace it was given in first: for whoever looked and saw that it was not done. However often it
     * is asked for it is given once more. Fails with NOT_FOUND, and with CONFLICT while it has not failed.
     */
    Future<NewDelegation> again(UUID source, String delegationId) {
        return store.failed(source, delegationId);
    }

    Future<Void> record(ReportedDelegation mirrored) {
        return settle.apply(mirrored.source()).compose(settled -> store.record(mirrored));
    }

    /** From the delegation's source or its target. */
    Future<Boolean> report(UUID workspace, String delegationId, Outcome outcome) {
        return store.report(workspace, delegationId, outcome);
    }

    /** From the next call of a model on, 2 s later at most. Fails with NOT_FOUND. */
    Future<Void> limit(UUID source, String delegationId, @Nullable BigDecimal dollars) {
        return store.limit(source, delegationId, dollars)
                .compose(there -> there
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.notFound("delegation not found")));
    }

    /** Fails with NOT_FOUND, also for another's. */
    Future<ObjectNode> find(UUID source, String delegationId) {
        return store.find(source, delegationId)
                .map(found -> found.orElseThrow(() -> ApiError.notFound("delegation not found")));
    }

    Future<List<DelegationView>> list(UUID source) {
        return store.list(source);
    }

    /** Forgets what ended longer ago than {@code age}. */
    public Future<Integer> prune(Duration age, int max) {
        return store.prune(age, max);
    }

    @Override
    public Future<Boolean> heard(UUID from, UUID to, byte[] envelope) {
        try {
            var params = Json.parse(envelope).path("params");
            String text = textOf(params.path("message").path("parts"));
            var id = params.path("message").path("messageId");
            return store.reply(from, to, id.textValue(), delegationIn(params), Outcome.completed(text));
        } catch (IOException notJson) {
            return Future.succeededFuture(false);
        }
    }

    /** A message that waited for a busy target may have been a delegation: one of ours, or one that an agent carries out itself. */
    @Override
    public Future<Void> ended(DeferredMessage deferred, QueueOutcome ending) {
        var source = deferred.caller();
        String id = source == null ? null : delegationIn(deferred.body());
        if (source == null || id == null) {
            return Future.succeededFuture();
        }
        if (ending instanceof QueueOutcome.Answered answered
                && TaskAnswer.asking(answered.body()).isPresent()) {
            return store.delivered(source, id).onSuccess(done -> accepted.run());
        }
        var outcome =
                switch (ending) {
                    case QueueOutcome.Answered answered -> NextStep.outcome(answered.body());
                    case QueueOutcome.Refused refused -> Outcome.failed(refused.error());
                    case QueueOutcome.Failed failed
                    when failed.unknown() -> Outcome.failed(failed.error()).unknowable();
                    case QueueOutcome.Failed failed -> Outcome.failed(failed.error());
                };
        return store.stitch(source, id, outcome.by("queue_drain")).mapEmpty();
    }

    /** A task that went on with a person's words has ended: that is the outcome of the delegation it was begun for, if it was one. */
    public Future<Boolean> ended(UUID target, String taskId, byte[] answer) {
        return store.endTask(target, taskId, NextStep.outcome(answer));
    }

    private static @Nullable String delegationIn(byte[] body) {
        try {
            return delegationIn(Json.parse(body).path("params"));
        } catch (IOException notJson) {
            return null;
        }
    }

    private static @Nullable String delegationIn(JsonNode params) {
        var ofMessage = params.path("message").path("metadata").path("delegation_id");
        var id = ofMessage.isTextual() ? ofMessage : params.path("metadata").path("delegation_id");
        return id.isTextual() ? id.textValue().replace('\0', '\ufffd') : null;
    }

    private static String textOf(JsonNode parts) {
        for (var part : parts) {
            if (part.path("text").isTextual()) {
                return part.path("text").textValue().replace('\0', '\ufffd');
            }
        }
        return "";
    }
}
