package ai.molecule.provisioner.reconcile;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.instances.InstanceStore;
import ai.molecule.provisioner.templates.AgentConfigs;
import java.io.IOException;
import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what was decided, step by step. Each step may be the last before a crash: what is irreversible is recorded before it is
 * done (a start), what can be repeated is recorded after (everything else). To be called on a virtual thread that holds the
 * workspace's lock.
 */
final class Steps {

    private static final Logger LOGGER = LoggerFactory.getLogger(Steps.class);

    /** Two workspaces choosing one port at the same moment is rare; this often in a row it is no coincidence. */
    private static final int PORT_TRIES = 8;

    private static final Observation.Gone NO_SIGN_OF_LIFE = new Observation.Gone("no sign of life", true);

    private final RegistryCalls registry;
    private final InstanceStore instances;
    private final Backend backend;
    private final AgentConfigs configs;
    private final Watches watches;
    private final Deaths deaths;
    private final Clock clock;

    Steps(
            RegistryCalls registry,
            InstanceStore instances,
            Backend backend,
            AgentConfigs configs,
            Watches watches,
            Deaths deaths,
            Clock clock) {
        this.registry = registry;
        this.instances = instances;
        this.backend = backend;
        this.configs = configs;
        this.watches = watches;
        this.deaths = deaths;
        this.clock = clock;
    }

    void take(UUID workspaceId, Decision decision) throws IOException {
        switch (decision) {
            case Decision.Nothing nothing -> {}
            case Decision.Start start -> start(start.workspace(), start.replaced());
            case Decision.Adopt adopt -> adopt(adopt);
            case Decision.Died died -> deaths.handle(died);
            case Decision.Hung hung -> {
                end(workspaceId, hung.process());
                deaths.handle(new Decision.Died(hung.workspace(), hung.instance(), NO_SIGN_OF_LIFE));
            }
            case Decision.Restart restart -> deaths.restart(restart.workspace());
            case Decision.GiveUp giveUp -> giveUp(giveUp);
            case Decision.Stop stop -> stop(workspaceId, stop.process());
            case Decision.Delete delete -> delete(workspaceId, delete.process());
        }
    }

    private void start(ManagedWorkspace workspace, @Nullable AgentProcess replaced) throws IOException {
        end(workspace.id(), replaced);
        try {
            var refusal = backend.refusal(workspace.runtime());
            if (refusal.isPresent()) {
                throw refusal.get();
            }
            configs.prepare(workspace).await();
            var secrets = registry.secrets(workspace);
            int port = reservePort(workspace);
            String token = registry.issueToken(workspace);
            var process =
                    backend.start(new Launch(workspace, port, token, secrets)).await();
            instances.running(workspace.id(), process, clock.instant()).await();
            LOGGER.atInfo()
                    .addKeyValue("workspaceId", workspace.id())
                    .addKeyValue("incarnation", workspace.incarnation())
                    .addKeyValue("process", process.id())
                    .log("agent started");
            announce(workspace, process, port);
        } catch (StartRefused refused) {
            LOGGER.atWarn()
                    .addKeyValue("workspaceId", workspace.id())
                    .addKeyValue("error", refused.error())
                    .log("agent cannot be started");
            registry.failed(workspace, Map.of("error", refused.error()), refused.lastError());
            instances
                    .failed(workspace.id(), workspace.incarnation(), refused.error(), clock.instant())
                    .await();
        }
    }

    /** The port goes into the record of the start, which from here on exists. */
    private int reservePort(ManagedWorkspace workspace) throws IOException {
        var instance = instances.find(workspace.id()).await();
        Integer last = instance.isPresent() ? instance.get().port() : null;
        for (int i = 0; i < PORT_TRIES; i++) {
            var taken = instances.portsOfOthers(workspace.id()).await();
            int port = backend.choosePort(last, taken).await();
            if (instances
                    .starting(workspace.id(), workspace.incarnation(), port, clock.instant())
                    .await()) {
                return port;
            }
        }
        throw new IOException("no port could be reserved");
    }

    private void adopt(Decision.Adopt adopt) throws IOException {
        var workspace = adopt.workspace();
        var port = adopt.instance().port();
        if (port == null) {
            throw new IOException("a process without a recorded port");
        }
        if (adopt.instance().process() == null) {
            instances.running(workspace.id(), adopt.process(), clock.instant()).await();
        }
        announce(workspace, adopt.process(), port);
        LOGGER.atInfo()
                .addKeyValue("workspaceId", workspace.id())
                .addKeyValue("process", adopt.process().id())
                .log("running agent adopted");
    }

    private void announce(ManagedWorkspace workspace, AgentProcess process, int port) {
        watches.begin(workspace.id(), process);
        registry.recordEndpoint(workspace, backend.url(workspace.id(), port));
        watches.announced(workspace.id(), process);
    }

    private void giveUp(Decision.GiveUp giveUp) {
        var workspace = giveUp.workspace();
        long seconds = giveUp.waited().toSeconds();
        String error = "workspace did not come online within %d s of its start".formatted(seconds);
        var payload = Map.<String, Object>of(
                "error",
                error,
                "timeout_secs",
                seconds,
                "runtime",
                workspace.runtime(),
                "source",
                "provision_timeout_sweep");
        var outcome = registry.failed(workspace, payload, error);
        if (outcome.status() == WorkspaceStatus.FAILED) {
            end(workspace.id(), giveUp.process());
            instances
                    .failed(workspace.id(), workspace.incarnation(), error, clock.instant())
                    .await();
        }
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
