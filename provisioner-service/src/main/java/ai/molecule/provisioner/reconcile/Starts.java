package ai.molecule.provisioner.reconcile;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.AgentDefaults;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.InitialFiles;
import ai.molecule.provisioner.backend.StartDelayed;
import ai.molecule.provisioner.backend.StartFailure;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.configs.RequiredVariables;
import ai.molecule.provisioner.instances.InstanceStore;
import ai.molecule.provisioner.notices.NoticeStore;
import ai.molecule.provisioner.templates.AgentConfigs;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Clock;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starting an agent, and taking over one that runs. To be called on a virtual thread that holds the workspace's lock. */
record Starts(
        RegistryCalls registry,
        InstanceStore instances,
        Backend backend,
        AgentConfigs configs,
        Watches watches,
        RestartContexts contexts,
        NoticeStore notices,
        AgentDefaults defaults,
        Clock clock) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Starts.class);

    /** Two workspaces choosing one port at the same moment is rare; this often in a row it is no coincidence. */
    private static final int PORT_TRIES = 8;

    private static final Set<String> TRUE = Set.of("1", "t", "true", "yes", "on");

    /** Nothing of the workspace runs any more. A start that cannot succeed ends in {@code failed}. */
    void start(ManagedWorkspace workspace) throws IOException {
        try {
            begin(workspace);
        } catch (StartRefused refused) {
            LOGGER.atWarn()
                    .addKeyValue("workspaceId", workspace.id())
                    .addKeyValue("error", refused.error())
                    .log("agent cannot be started");
            registry.failed(workspace, refused.payload(), refused.lastError());
            instances
                    .failed(workspace.id(), workspace.incarnation(), refused.error(), clock.instant())
                    .await();
        } catch (StartDelayed delayed) {
            instances.delayed(workspace.id(), delayed.reason()).await();
            throw delayed;
        }
    }

    /** What the engine or the machine did not do, they may do at the next try. */
    private static <T> T atBackend(Future<T> asked) {
        return asked.recover(failure -> Future.failedFuture(
                        failure instanceof StartFailure || failure instanceof ApiError
                                ? failure
                                : StartDelayed.because(failure)))
                .await();
    }

    /** The record comes first: whatever is made for the workspace after it will be found and taken away again. */
    private void begin(ManagedWorkspace workspace) throws IOException {
        var refusal = backend.refusal(workspace.runtime());
        if (refusal.isPresent()) {
            throw refusal.get();
        }
        requireEngine(workspace);
        var secrets = registry.secrets(workspace);
        int port = reservePort(workspace);
        var laid = layFiles(workspace, secrets);
        String token = registry.issueToken(workspace);
        var launch = defaults.launch(workspace, port, token, secrets);
        var process = atBackend(backend.start(laid == null ? launch : launch.laying(laid)));
        instances.running(workspace.id(), process, clock.instant()).await();
        LOGGER.atInfo()
                .addKeyValue("workspaceId", workspace.id())
                .addKeyValue("incarnation", workspace.incarnation())
                .addKeyValue("process", process.id())
                .log("agent started");
        announce(workspace, process, port);
        tellWithheld(workspace);
        contexts.tell(workspace, secrets.keySet());
    }

    /** Null when they are there; else what the start has to lay. Templates too large to travel are put there before it all the same. */
    private @Nullable InitialFiles layFiles(ManagedWorkspace workspace, Map<String, String> secrets) {
        boolean freshSessions = wantsFreshSessions(workspace, secrets);
        if (backend.laysInitialFiles()) {
            var initial = atBackend(configs.initial(workspace));
            if (initial.travelLight()) {
                return initial.withFreshSessions(freshSessions);
            }
        }
        atBackend(configs.prepare(workspace));
        atBackend(RequiredVariables.check(backend.files(), workspace.id(), defaults.whatIsGiven(secrets)));
        if (freshSessions) {
            atBackend(backend.forgetSessions(workspace.id()));
        }
        return null;
    }

    /** As its secret {@code WORKSPACE_RESET_SESSION} says (registry contract, 12). */
    private static boolean wantsFreshSessions(ManagedWorkspace workspace, Map<String, String> secrets) {
        String wish = secrets.getOrDefault("WORKSPACE_RESET_SESSION", "").strip();
        return workspace.runtime().equals(Backend.KEEPS_SESSIONS) && TRUE.contains(wish.toLowerCase(Locale.ROOT));
    }

    /** Once a start; one that a crash keeps from being told is told at the next. */
    private void tellWithheld(ManagedWorkspace workspace) {
        backend.withheld(workspace).ifPresent(reason -> {
            LOGGER.atWarn().addKeyValue("workspaceId", workspace.id()).log(reason);
            notices.privilegesWithheld(workspace.id(), workspace.tier(), reason).await();
        });
    }

    /**
     * Somebody waits for a first start, so an engine that cannot be asked fails it; a later start is tried again, for the engine
     * may be back in a minute.
     */
    private void requireEngine(ManagedWorkspace workspace) {
        if (workspace.incarnation() <= 1) {
            backend.ping()
                    .recover(away ->
                            Future.failedFuture(new StartRefused("workspace start failed: " + away.getMessage())))
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

    void adopt(Decision.Adopt adopt) throws IOException {
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
        registry.recordEndpoint(
                workspace, backend.url(workspace.id(), port), backend.internalUrl(workspace.id(), port));
        watches.announced(workspace.id(), process);
    }
}
