package ai.molecule.provisioner.reconcile;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.SendAsSystem;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells agents that came back what they came back to, as soon as they are online. Best effort: what cannot be said within 30 s of
 * the start, or when the provisioner ends before, is dropped. While recordings answer nothing is said: it has times in it that no
 * recording has.
 */
final class RestartContexts {

    private static final Logger LOGGER = LoggerFactory.getLogger(RestartContexts.class);

    private static final Duration WAIT_MAX = Duration.ofSeconds(30);
    private static final Duration LOOK = Duration.ofMillis(500);

    /** The first start is no restart. */
    private static final int FIRST = 1;

    /** Waiting at once; beyond it contexts are dropped. */
    private static final int WAITING_MAX = 500;

    private static final Map<String, Object> METADATA =
            Map.of("source", "platform", "kind", "restart_context", "layer", 1, "restart_context", true);

    private final Function<Duration, Future<Void>> after;
    private final Bus bus;
    private final Clock clock;
    private final boolean replayed;
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param after completes when a while has passed
     * @param replayed whether recordings answer in the place of models
     */
    RestartContexts(Function<Duration, Future<Void>> after, Bus bus, Clock clock, boolean replayed) {
        this.replayed = replayed;
        this.after = after;
        this.bus = bus;
        this.clock = clock;
    }

    /**
     * Who wakes is told nothing: it goes on where it was, and what woke it waits.
     *
     * @param workspace as it was before the start; does not wait
     */
    void tell(ManagedWorkspace workspace, Set<String> variables) {
        if (replayed || workspace.waking() || workspace.incarnation() <= FIRST) {
            return;
        }
        var now = clock.instant();
        var context = new RestartContext(now, workspace.lastHeartbeatAt(), variables);
        if (waiting.incrementAndGet() > WAITING_MAX) {
            waiting.decrementAndGet();
            dropped(workspace, "too many agents restart at once");
            return;
        }
        online(workspace, now.plus(WAIT_MAX))
                .compose(cameBack -> cameBack ? send(workspace.id(), context) : gaveUp())
                .onFailure(failure -> dropped(workspace, String.valueOf(failure.getMessage())))
                .onComplete(done -> waiting.decrementAndGet());
    }

    private Future<Boolean> online(ManagedWorkspace workspace, Instant deadline) {
        return after.apply(LOOK)
                .compose(due -> bus.call(ListManaged.CONTRACT, ListManaged.one(workspace.id())))
                .map(page -> page.workspaces().stream()
                        .filter(found -> found.incarnation() == workspace.incarnation())
                        .anyMatch(found ->
                                found.status() == WorkspaceStatus.ONLINE || found.status() == WorkspaceStatus.DEGRADED))
                .otherwise(false) // asked again, within the time
                .compose(online -> online || clock.instant().isAfter(deadline)
                        ? Future.succeededFuture(online)
                        : online(workspace, deadline));
    }

    private Future<Void> send(UUID workspaceId, RestartContext context) {
        var message = new SendAsSystem(workspaceId, "restart-context", UUID.randomUUID(), context.text(), METADATA);
        return bus.call(SendAsSystem.CONTRACT, message)
                .onSuccess(sent ->
                        LOGGER.atDebug().addKeyValue("workspaceId", workspaceId).log("agent was told of its restart"))
                .mapEmpty();
    }

    private static Future<Void> gaveUp() {
        return Future.failedFuture("it was not online again within %d s".formatted(WAIT_MAX.toSeconds()));
    }

    private static void dropped(ManagedWorkspace workspace, String reason) {
        LOGGER.atInfo()
                .addKeyValue("workspaceId", workspace.id())
                .addKeyValue("reason", reason)
                .log("restart context is dropped");
    }
}
