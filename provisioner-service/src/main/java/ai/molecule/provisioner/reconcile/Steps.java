package ai.molecule.provisioner.reconcile;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.instances.InstanceStore;
import java.io.IOException;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what was decided, step by step. Each step may be the last before a crash: what is irreversible is recorded before it is
 * done (a start), what can be repeated is recorded after (everything else). To be called on a virtual thread that holds the
 * workspace's lock.
 */
record Steps(
        RegistryCalls registry,
        InstanceStore instances,
        Backend backend,
        Starts starts,
        Watches watches,
        Deaths deaths,
        Clock clock) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Steps.class);

    private static final Observation.Gone NO_SIGN_OF_LIFE = new Observation.Gone("no sign of life", true);

    void take(UUID workspaceId, Decision decision) throws IOException {
        switch (decision) {
            case Decision.Nothing nothing -> {}
            case Decision.Start start -> {
                end(workspaceId, start.replaced());
                starts.start(start.workspace());
            }
            case Decision.Adopt adopt -> starts.adopt(adopt);
            case Decision.Died died -> deaths.handle(died);
            case Decision.Hung hung -> {
                end(workspaceId, hung.process());
                deaths.handle(new Decision.Died(hung.workspace(), hung.instance(), NO_SIGN_OF_LIFE));
            }
            case Decision.GivenUp givenUp -> givenUp(givenUp.workspace(), givenUp.process());
            case Decision.Stray stray -> {
                LOGGER.atWarn()
                        .addKeyValue("workspaceId", workspaceId)
                        .addKeyValue("process", stray.process().id())
                        .log("process that nobody has on record is ended");
                end(workspaceId, stray.process());
            }
            case Decision.Restart restart -> deaths.restart(restart.workspace());
            case Decision.GiveUp giveUp -> giveUp(giveUp);
            case Decision.Stop stop -> stop(workspaceId, stop.process());
            case Decision.Delete delete -> delete(workspaceId, delete.process());
        }
    }

    private void giveUp(Decision.GiveUp giveUp) {
        var workspace = giveUp.workspace();
        long seconds = giveUp.waited().toSeconds();
        String error = giveUp.reason() == null
                ? "workspace did not come online within %d s of its start".formatted(seconds) + obstacle(workspace.id())
                : giveUp.reason();
        var payload = Map.<String, Object>of(
                "error",
                error,
                "timeout_secs",
                seconds,
                "runtime",
                workspace.runtime(),
                "source",
                "provision_timeout_sweep");
        var told = LastWords.of(workspace, error, backend, registry).addedTo(payload);
        var outcome = registry.failed(workspace, told, error);
        if (outcome.status() == WorkspaceStatus.FAILED) {
            end(workspace.id(), giveUp.process());
            instances
                    .failed(workspace.id(), workspace.incarnation(), error, clock.instant())
                    .await();
        }
    }

    private String obstacle(UUID workspaceId) {
        return backend.obstacle(workspaceId)
                .otherwise(Optional.empty())
                .await()
                .map(reason -> ": " + reason)
                .orElse("");
    }

    private void givenUp(ManagedWorkspace workspace, @Nullable AgentProcess process) {
        end(workspace.id(), process);
        instances
                .failed(workspace.id(), workspace.incarnation(), "given up", clock.instant())
                .await();
    }

    private void stop(UUID workspaceId, @Nullable AgentProcess process) {
        end(workspaceId, process);
        instances.stopped(workspaceId, clock.instant()).await();
        LOGGER.atInfo().addKeyValue("workspaceId", workspaceId).log("agent stopped");
    }

    private void delete(UUID workspaceId, @Nullable AgentProcess process) {
        end(workspaceId, process);
        backend.delete(workspaceId).await();
        instances.delete(workspaceId).await();
        LOGGER.atInfo().addKeyValue("workspaceId", workspaceId).log("workspace deleted");
    }

    private void end(UUID workspaceId, @Nullable AgentProcess process) {
        watches.end(workspaceId); // this end is ours
        if (process != null) {
            backend.stop(process).await();
        }
    }
}
