package ai.molecule.runtime;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Process entry point: settings in, one agent running, exit code 0 when told to stop and 1 when it cannot start.
 *
 * <p>Many of these run side by side, so the JVM is kept small:
 * {@code -Xms8m -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1}. An archive of loaded classes, shared by all agents of a
 * machine, halves the time to start: {@code -XX:+AutoCreateSharedArchive -XX:SharedArchiveFile=<file>} writes it on the
 * first exit and uses it from then on. A quarter of the heap is for tasks, another for requests on their way in.
 */
public final class RuntimeMain {

    private static final Logger LOGGER = LoggerFactory.getLogger(RuntimeMain.class);

    private static volatile int exitCode;
    private static volatile @Nullable WorkspaceAgent running;

    private RuntimeMain() {}

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(RuntimeMain::stop, "stop"));
        try {
            var config = RuntimeConfig.fromEnv(HandedOver.addedTo(System.getenv()));
            if (config.lifelineOnStdin()) {
                Lifeline.watch(System.in, () -> exit(0));
            }
            var workspace = config.appliedTo(WorkspaceConfig.read(config.configFolder()));
            boolean ours = OwnTools.output(config).isEmpty(); // else somebody's, who lent it for reading
            if (ours) {
                WorkspaceFolder.prepare(config.workspaceFolder());
            }
            var findings = Preflight.check(workspace, config.configFolder(), config.environment());
            if (!findings.isEmpty()) {
                System.err.println(PreflightFinding.report(findings));
            }
            if (ours) {
                WorkspaceFolder.describe(config, workspace);
            }
            var agent = WorkspaceAgent.start(config, workspace);
            running = agent;
            LOGGER.atInfo()
                    .addKeyValue("workspaceId", config.workspaceId())
                    .addKeyValue("runtime", workspace.runtime())
                    .addKeyValue("adapter", workspace.adapter())
                    .addKeyValue("url", agent.url())
                    .addKeyValue("afterMs", sinceJvmStart().toMillis())
                    .log("agent listening");
        } catch (PreflightFailure failure) {
            System.err.println(failure.report());
            exit(1);
        } catch (RuntimeException e) {
            LOGGER.atError().setCause(e).log("agent failed to start");
            exit(1);
        }
    }

    private static void exit(int code) {
        exitCode = code;
        System.exit(code);
    }

    /** Runs for SIGTERM too, for which the JVM would exit with 143: stopping an agent is not a failure. */
    private static void stop() {
        var agent = running;
        if (agent != null) {
            agent.close();
            LOGGER.info("agent stopped");
        }
        Runtime.getRuntime().halt(exitCode);
    }

    private static Duration sinceJvmStart() {
        return ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, Instant.now()))
                .orElse(Duration.ZERO);
    }
}
