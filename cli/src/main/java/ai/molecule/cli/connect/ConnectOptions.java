package ai.molecule.cli.connect;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code molecule connect}; what is not given comes from the environment. */
final class ConnectOptions {

    private static final String DEFAULT_POLL_SECONDS = "5";

    @Option(names = "--platform-url", paramLabel = "URL", description = "Or MOLECULE_PLATFORM_URL")
    private @Nullable String platformUrl;

    @Option(names = "--workspace-id", paramLabel = "ID", description = "Or MOLECULE_WORKSPACE_ID")
    private @Nullable String workspaceId;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description =
                    "The workspace's token, kept in the token file. Or MOLECULE_WORKSPACE_TOKEN, which other users cannot see")
    private @Nullable String token;

    @Option(
            names = "--handler",
            paramLabel = "HANDLER",
            description = {
                "package.Class::method (static, takes an InboundMessage), or 'cmd: command': the message on its standard input,"
                        + " the reply on its standard output. Or MOLECULE_HANDLER"
            })
    private @Nullable String handler;

    @Option(
            names = "--class-path",
            paramLabel = "PATH",
            description = "Where the handler's class lies, folders and jars. Default: the working directory")
    private @Nullable String classPath;

    @Option(names = "--agent-name", paramLabel = "NAME", description = "On the agent card. Or MOLECULE_AGENT_NAME")
    private @Nullable String agentName;

    @Option(
            names = "--reported-url",
            paramLabel = "URL",
            description = "Where the agent says it listens. Or MOLECULE_REPORTED_URL. Default: nowhere, it polls")
    private @Nullable String reportedUrl;

    @Option(
            names = "--poll-interval",
            paramLabel = "SECONDS",
            description =
                    "Between two requests, where the platform cannot hold them open. Or MOLECULE_POLL_INTERVAL. Default: 5")
    private @Nullable String pollInterval;

    @Option(
            names = "--cursor-file",
            paramLabel = "FILE",
            description = {
                "Remembers the last message handled, so that none is handled twice. Or MOLECULE_CURSOR_FILE. Default: cursor"
                        + " beside the token, in ~/.molecule/ID"
            })
    private @Nullable String cursorFile;

    @Option(names = "--org-id", paramLabel = "ID", description = "Or MOLECULE_ORG_ID")
    private @Nullable String orgId;

    @Option(
            names = "--command-timeout",
            paramLabel = "SECONDS",
            defaultValue = "300",
            description = "What a command has for one message. Default: ${DEFAULT-VALUE}")
    private int commandTimeoutSeconds;

    @Option(
            names = "--wait-while-paused",
            description = "Stay when the workspace is paused and go on when it is resumed, instead of ending.")
    private boolean waitWhilePaused;

    @Option(names = "--verbose", description = "Say more. Or MOLECULE_VERBOSE=1")
    private boolean verbose;

    /** What is asked for: an option wins over its variable. */
    record Asked(
            String platformUrl,
            String workspaceId,
            Optional<String> token,
            String handler,
            String classPath,
            Optional<String> agentName,
            String reportedUrl,
            String pollSeconds,
            Optional<Path> cursorFile,
            String orgId,
            Duration commandTimeout,
            boolean waitWhilePaused,
            boolean verbose) {}

    /** @throws IllegalArgumentException naming the option that is missing */
    Asked over(Map<String, String> environment) {
        return new Asked(
                required(platformUrl, "--platform-url", environment.get("MOLECULE_PLATFORM_URL")),
                required(workspaceId, "--workspace-id", environment.get("MOLECULE_WORKSPACE_ID")),
                first(token, environment.get(ConnectCommand.TOKEN_VARIABLE)),
                required(handler, "--handler", environment.get("MOLECULE_HANDLER")),
                first(classPath, null).orElse("."),
                first(agentName, environment.get("MOLECULE_AGENT_NAME")),
                first(reportedUrl, environment.get("MOLECULE_REPORTED_URL")).orElse(""),
                first(pollInterval, environment.get("MOLECULE_POLL_INTERVAL")).orElse(DEFAULT_POLL_SECONDS),
                first(cursorFile, environment.get("MOLECULE_CURSOR_FILE")).map(ConnectOptions::inHome),
                first(orgId, environment.get("MOLECULE_ORG_ID")).orElse(""),
                Duration.ofSeconds(commandTimeoutSeconds),
                waitWhilePaused,
                verbose || "1".equals(environment.get("MOLECULE_VERBOSE")));
    }

    private static String required(@Nullable String option, String name, @Nullable String variable) {
        return first(option, variable)
                .orElseThrow(() -> new IllegalArgumentException("Missing required option: " + name));
    }

    private static Optional<String> first(@Nullable String option, @Nullable String variable) {
        return Optional.ofNullable(option)
                .or(() -> Optional.ofNullable(variable))
                .filter(value -> !value.isBlank());
    }

    /** A shell expands {@code ~} only where it stands alone at the beginning of a word. */
    private static Path inHome(String file) {
        return file.startsWith("~/") ? Path.of(System.getProperty("user.home"), file.substring(2)) : Path.of(file);
    }
}
