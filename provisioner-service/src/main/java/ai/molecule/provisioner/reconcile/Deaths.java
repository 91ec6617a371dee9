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

/** What follows when an agent died by itself: offline at once, a restart after a while, and an end with a reason when it loops. */
final class Deaths {

    private static final Logger LOGGER = LoggerFactory.getLogger(Deaths.class);

    private final RegistryCalls registry;
    private final InstanceStore instances;
    private final LastWords lastWords;
    private final Watches watches;
    private final RestartSchedule schedule;
    private final BiConsumer<UUID, Duration> lookAgain;
    private final Clock clock;
    private final RandomGenerator random;

    /** @param lookAgain has a workspace reconciled once more, after a while */
    Deaths(
            RegistryCalls registry,
            InstanceStore instances,
            Backend backend,
            Watches watches,
            RestartSchedule schedule,
            BiConsumer<UUID, Duration> lookAgain,
            Clock clock,
            RandomGenerator random) {
        this.registry = registry;
        this.instances = instances;
        this.lastWords = new LastWords(backend);
        this.watches = watches;
        this.schedule = schedule;
        this.lookAgain = lookAgain;
        this.clock = clock;
        this.random = random;
    }

    void handle(Decision.Died died) {
        var workspace = died.workspace();
        var now = clock.instant();
        LOGGER.atWarn()
                .addKeyValue("workspaceId", workspace.id())
                .addKeyValue("exit", died.how().exit())
                .log("agent died");
        String log = lastWords.of(workspace.id());
        registry.offline(workspace, LastWords.with(Map.of("exit", died.how().exit()), log));
        var next = next(died, now);
        var restartAt = next.restartAt();
        if (Exit.isFinal(died.how().exit())) {
            fail(
                    workspace,
                    died.how().exit(),
                    "workspace start failed: " + died.how().exit(),
                    log);
        } else if (restartAt == null) {
            fail(workspace, died.how().exit(), loop(died.how().exit(), log), log);
        } else {
            instances
                    .exited(
                            workspace.id(),
                            next.attempts(),
                            next.deaths(),
                            restartAt,
                            died.how().exit(),
                            now)
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

    private String loop(String exit, String log) {
        String reason = "agent died %d times within %d minutes, last with %s"
                .formatted(schedule.deathsMax(), schedule.window().toMinutes(), exit);
        return log.isBlank() ? reason : reason + "; its last lines:\n" + log;
    }

    private void fail(ManagedWorkspace workspace, String exit, String error, String log) {
        registry.failed(workspace, LastWords.with(Map.of("error", error, "exit", exit), log), error);
        instances
                .failed(workspace.id(), workspace.incarnation(), exit, clock.instant())
                .await();
    }
}
