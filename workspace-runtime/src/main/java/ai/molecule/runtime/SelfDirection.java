package ai.molecule.runtime;

import ai.molecule.runtime.platform.DelegationWatch;
import ai.molecule.runtime.platform.IdleLoop;
import ai.molecule.runtime.platform.InitialPrompt;
import ai.molecule.runtime.platform.PlatformLink;
import ai.molecule.runtime.platform.ResultsFile;
import ai.molecule.runtime.platform.Routines;
import ai.molecule.runtime.platform.SeenFile;
import ai.molecule.runtime.tasks.WorkMeter;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.WorkspaceClient;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** What an agent does of its own accord once the platform knows it: its first prompt, its idle prompt, a look at what it delegated. */
final class SelfDirection {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int PROBE_TIMEOUT_MILLIS = 2_000;

    /** Those with a mind of their own: the others would not know what to do with a result. */
    private static final Set<String> DELEGATING = Set.of("cli", "langchain4j");

    private SelfDirection() {}

    /** Where results wait for this agent; the supplier gives nothing to one that could not use them. */
    static boolean usesResults(WorkspaceConfig workspace) {
        return DELEGATING.contains(workspace.adapter());
    }

    static Routines begin(
            RuntimeConfig config,
            WorkspaceConfig workspace,
            ClientConfig client,
            PlatformLink link,
            WorkMeter meter,
            int port) {
        var self = new WorkspaceClient(client);
        var prompts = workspace.selfPrompts();
        var routines = new Routines();
        if (!prompts.initial().isEmpty()) {
            var folders = List.of(config.configFolder(), config.workspaceFolder());
            var initial =
                    new InitialPrompt(self, prompts.initial(), folders, () -> listens(config.host(), port), SECOND);
            routines.begin("initial-prompt", after(link, initial));
        }
        if (!prompts.idle().isEmpty()) {
            var idle = new IdleLoop(self, prompts, () -> meter.read().activeTasks() > 0);
            routines.begin("idle-loop", after(link, idle));
        }
        if (usesResults(workspace)) {
            var results = config.delegationResultsFile();
            var watch = new DelegationWatch(
                    self,
                    new ResultsFile(results),
                    new SeenFile(results.resolveSibling(results.getFileName() + ".seen")),
                    config.heartbeatInterval(),
                    Clock.systemUTC());
            routines.begin("delegation-watch", after(link, watch));
        }
        return routines;
    }

    /** Only once the platform knows the agent: before, nothing it says could reach it. */
    private static Routines.Routine after(PlatformLink link, Routines.Routine routine) {
        return () -> {
            link.awaitRegistered();
            routine.run();
        };
    }

    private static boolean listens(String host, int port) {
        String here = host.equals("0.0.0.0") ? "127.0.0.1" : host;
        try {
            var url = URI.create("http://" + here + ":" + port + "/.well-known/agent.json")
                    .toURL();
            var connection = (HttpURLConnection) url.openConnection();
            connection.setConnectTimeout(PROBE_TIMEOUT_MILLIS);
            connection.setReadTimeout(PROBE_TIMEOUT_MILLIS);
            try {
                return connection.getResponseCode() == 200;
            } finally {
                connection.disconnect();
            }
        } catch (IOException notYet) {
            return false;
        }
    }
}
