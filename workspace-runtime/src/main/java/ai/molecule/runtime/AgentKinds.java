package ai.molecule.runtime;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.delegate.DelegateExecutor;
import ai.molecule.runtime.echo.EchoExecutor;
import ai.molecule.sdk.A2aClient;
import ai.molecule.sdk.PlatformClient;
import java.util.List;

/** The kinds of agent this runtime runs, by the name {@code runtime} has in {@code config.yaml}. */
final class AgentKinds {

    static final List<String> NAMES = List.of("echo", "delegate");

    private AgentKinds() {}

    /** @throws IllegalArgumentException for a name {@link Preflight} would not let through */
    static AgentExecutor create(WorkspaceConfig workspace, PlatformClient platform) {
        return switch (workspace.runtime()) {
            case "echo" -> new EchoExecutor();
            case "delegate" ->
                new DelegateExecutor(platform, new A2aClient(platform.config()), workspace.delegationTimeout());
            default -> throw new IllegalArgumentException("no such runtime: " + workspace.runtime());
        };
    }
}
