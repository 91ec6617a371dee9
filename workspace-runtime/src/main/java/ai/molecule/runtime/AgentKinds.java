package ai.molecule.runtime;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.delegate.DelegateExecutor;
import ai.molecule.runtime.echo.EchoExecutor;
import ai.molecule.sdk.A2aClient;
import ai.molecule.sdk.PlatformClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The kinds of agent this runtime runs. Their names also stand in the jar, where whoever starts agents reads what it can run. */
final class AgentKinds {

    static final List<String> NAMES = listed();

    private AgentKinds() {}

    private static List<String> listed() {
        try (var list = AgentKinds.class.getResourceAsStream("/META-INF/molecule/adapters")) {
            return list == null
                    ? List.of()
                    : new String(list.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /**
     * @throws PreflightFailure when the agent's own settings are wrong
     * @throws IllegalArgumentException for a name {@link Preflight} would not let through
     */
    static AgentExecutor create(WorkspaceConfig workspace, PlatformClient platform) {
        var settings = Settings.of("runtime_config.", workspace.runtimeConfig());
        return switch (workspace.runtime()) {
            case "echo" -> new EchoExecutor(settings.truth("converse", false));
            case "delegate" ->
                new DelegateExecutor(platform, new A2aClient(platform.config()), workspace.delegationTimeout());
            default -> throw new IllegalArgumentException("no such runtime: " + workspace.runtime());
        };
    }
}
