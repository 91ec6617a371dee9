package ai.molecule.proxy.waiting;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.calls.InFlightCall;
import ai.molecule.proxy.a2a.messages.Dispatch;
import ai.molecule.proxy.a2a.messages.LookupResult;
import ai.molecule.proxy.protocol.TaskAnswer;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One round: which tasks wait for an approval is asked of the registry, calls to tasks that wait are let go, and clocks are stopped and
 * started. Everything is read anew each time, so whatever was missed is caught up with. To be used on one event loop.
 */
final class WaitingRounds {

    /** The registry's answer in all: further approvals hold no clock. */
    private static final int APPROVALS_MAX = 20_000;

    private static final int TASKS_MAX = 10_000;

    /** Questions to agents in one round. */
    private static final int LOOKUPS_MAX = 32;

    /** Well within a round. */
    private static final Duration LOOKUPS = Duration.ofSeconds(3);

    private static final int FORGOTTEN_MAX = 1_000;

    /** As long as an approval may wait at most. */
    private static final Duration KEEP = Duration.ofDays(366);

    /** A released call whose wait is over is asked about within that time anyway. */
    private static final Duration SOON = Duration.ofSeconds(15);

    private final Bus bus;
    private final TaskWaits waits;
    private final Dispatch dispatch;
    private final Calls calls;
    private final Runnable resumed;

    /** What calls under way became, once they were asked; a call that ends is forgotten with its answer. */
    private final Map<InFlightCall, String> tasks = new WeakHashMap<>();

    /** @param resumed told when a clock goes again */
    WaitingRounds(Bus bus, TaskWaits waits, Dispatch dispatch, Calls calls, Runnable resumed) {
        this.bus = bus;
        this.waits = waits;
        this.dispatch = dispatch;
        this.calls = calls;
        this.resumed = resumed;
    }

    Future<Void> run() {
        return pending(null, new ArrayList<>())
                .compose(approvals -> waits.store().approvals(approvals))
                .recover(away -> Future.succeededFuture()) // what is known stays, and clocks that stand keep standing
                .compose(known -> letGo().timeout(LOOKUPS.toMillis(), TimeUnit.MILLISECONDS)
                        .otherwiseEmpty()) // an agent that does not answer holds nobody's clock up
                .compose(done -> clocks())
                .compose(done -> waits.store().forget(KEEP, FORGOTTEN_MAX))
                .mapEmpty();
    }

    private Future<List<TaskApprovals.One>> pending(@Nullable UUID after, List<TaskApprovals.One> found) {
        return bus.call(TaskApprovals.CONTRACT, new TaskApprovals(after, TaskApprovals.LIMIT_MAX))
                .compose(page -> {
                    found.addAll(page.approvals());
                    return page.approvals().size() < TaskApprovals.LIMIT_MAX || found.size() >= APPROVALS_MAX
                            ? Future.succeededFuture(found)
                            : pending(found.getLast().id(), found);
                });
    }

    Future<Void> clocks() {
        return Future.all(waits.store().clocks(), waits.released().hurry(SOON)).map(done -> {
            if (done.<Integer>resultAt(0) + done.<Integer>resultAt(1) > 0) {
                resumed.run();
            }
            return null;
        });
    }

    private Future<Void> letGo() {
        var targets = calls.targets();
        if (targets.isEmpty()) {
            return Future.succeededFuture();
        }
        return waits.store().at(targets, TASKS_MAX).compose(waiting -> {
            Map<UUID, Set<String>> byAgent = waiting.stream()
                    .collect(Collectors.groupingBy(
                            PgWaitStore.Waiting::workspaceId,
                            Collectors.mapping(PgWaitStore.Waiting::taskId, Collectors.toSet())));
            List<Future<Void>> done = new ArrayList<>();
            var asked = new HashSet<InFlightCall>();
            for (var call : calls.at(byAgent.keySet())) {
                if (call.taskId() != null || tasks.containsKey(call) || asked.size() < LOOKUPS_MAX && asked.add(call)) {
                    done.add(letGo(call, byAgent.getOrDefault(call.target(), Set.of())));
                }
            }
            return Future.join(done).otherwiseEmpty().mapEmpty();
        });
    }

    private Future<Void> letGo(InFlightCall call, Set<String> waiting) {
        return taskOf(call).compose(taskId -> {
            String messageId = call.messageId();
            boolean waits = waiting.contains(taskId) || messageId != null && waiting.contains(messageId);
            if (taskId.isEmpty() || !waits) {
                return Future.succeededFuture();
            }
            return named(call, taskId).compose(done -> call.awaited() ? Future.succeededFuture() : call.letGo(taskId));
        });
    }

    private Future<Void> named(InFlightCall call, String taskId) {
        String messageId = call.messageId();
        return messageId == null ? Future.succeededFuture() : waits.store().name(call.target(), messageId, taskId);
    }

    /** Empty when the agent does not say. */
    private Future<String> taskOf(InFlightCall call) {
        String told = call.taskId();
        String known = told == null ? tasks.get(call) : told;
        String messageId = call.messageId();
        if (known != null || messageId == null) {
            return Future.succeededFuture(known == null ? "" : known);
        }
        return dispatch.lookUp(call.target(), messageId).map(found -> {
            TaskAnswer task = found instanceof LookupResult.Working working ? working.task() : null;
            if (task != null) {
                tasks.put(call, task.taskId());
                return task.taskId();
            }
            if (found instanceof LookupResult.Unsupported) {
                tasks.put(call, ""); // it stays as it is: its end could not be found
            }
            return "";
        });
    }
}
