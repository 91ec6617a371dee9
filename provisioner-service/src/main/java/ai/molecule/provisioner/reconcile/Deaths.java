package ai.molecule.provisioner.reconcile;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.Exit;
import ai.molecule.provisioner.instances.InstanceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows when an agent died by itself: offline at once, a restart after a while, and an end with a reason when it loops.
 *
 * @param lookAgain has a workspace reconciled once more, after a while
 */
record Deaths(
        RegistryCalls registry,
        InstanceStore instances,
        Backend backend,
        Watches watches,
        RestartSchedule schedule,
        BiConsumer<UUID, Duration> lookAgain,
        Clock clock,
        RandomGenerator random) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Deaths.class);

    void handle(Decision.Died died) {
        var workspace = died.workspace();
        var now = clock.instant();
        backend.clear(workspace.id()).otherwiseEmpty().await();
        var last = LastWords.of(workspace, died.how().exit(), backend, registry);
        LOGGER.atWarn()
                .addKeyValue("workspaceId", workspace.id())
                .addKeyValue("exit", last.exit())
                .log("agent died");
        registry.offline(workspace, last.addedTo(Map.of("exit", last.exit())));
        var next = next(died, now);
        var restartAt = next.restartAt();
        if (Exit.isFinal(died.how().exit())) {
            fail(workspace, "workspace start failed: " + last.exit(), last);
        } else if (restartAt == null) {
            fail(workspace, loop(last), last);
        } else {
            instances
                    .exited(workspace.id(), next.attempts(), next.deaths(), restartAt, last.exit(), now)
                    .await();
            lookAgain.accept(workspace.id(), Duration.between(now, restartAt));
        }
        watches.end(workspace.id());
    }

    /** Asks for the next incarnation. Refused while an ancestor is paused: then the sweep asks again. */
    void restart(ManagedWorkspace workspace) {
        try {
            if (registry.restart(workspace)) {
                lookAgain.accept(workspace.id(), Duration.ZERO);
            }
        } catch (ApiError refused) {
            if (refused.kind() != ApiError.Kind.CONFLICT && refused.kind() != ApiError.Kind.NOT_FOUND) {
                throw refused;
            }
            LOGGER.atInfo()
                    .addKeyValue("workspaceId", workspace.id())
                    .addKeyValue("reason", refused.publicMessage())
                    .log("agent is not restarted");
        }
    }

    /** An end nobody watched came with a stop of the whole platform, or during ours: it is no sign of a broken agent. */
    private RestartSchedule.Next next(Decision.Died died, Instant now) {
        var instance = died.instance();
        return died.how().witnessed()
                ? schedule.afterDeath(instance, now, random.nextDouble())
                : new RestartSchedule.Next(instance.attempts(), instance.deaths(), now);
    }

    private String loop(LastWords last) {
        String reason = "agent died %d times within %d minutes, last with %s"
                .formatted(schedule.deathsMax(), schedule.window().toMinutes(), last.exit());
        return last.log().isBlank() ? reason : reason + "; its last lines:\n" + last.log();
    }

    private void fail(ManagedWorkspace workspace, String error, LastWords last) {
        registry.failed(workspace, last.addedTo(Map.of("error", error, "exit", last.exit())), error);
        instances
                .failed(workspace.id(), workspace.incarnation(), last.exit(), clock.instant())
                .await();
    }
}
