package ai.molecule.cli.connect;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.connect.ConnectOptions.Asked;
import ai.molecule.sdk.LoopOptions;
import ai.molecule.sdk.MessageHandler;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.PollDelivery;
import ai.molecule.sdk.PollOptions;
import ai.molecule.sdk.RemoteAgentClient;
import ai.molecule.sdk.TokenLostException;
import java.io.File;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Joins a workspace and answers its messages until the platform or a signal ends it. Standard output carries what happens to
 * the connection, standard error what goes wrong.
 */
@Command(
        name = "connect",
        description = "Connect a command or method as an agent: it answers the messages of a workspace.",
        footer = {
            "",
            "Exit codes: 0 the platform paused or deleted the workspace, or a signal came; 1 the handler cannot be used;",
            "2 the options are wrong, or the platform refused the agent.",
            "",
            "Example: molecule connect --platform-url http://localhost:8080 --workspace-id ID --handler 'cmd: ./answer.sh'"
        })
public final class ConnectCommand implements Callable<Integer> {

    static final String TOKEN_VARIABLE = "MOLECULE_WORKSPACE_TOKEN";

    /** Beside the token, so that an agent that starts again does not handle again what it has handled: a command may act, and cost. */
    static final String CURSOR_FILE = "cursor";

    /** Seconds, with or without a fraction; at most a day. */
    private static final Pattern SECONDS = Pattern.compile("\\d{1,5}(\\.\\d{1,3})?");

    @Mixin
    private ConnectOptions options = new ConnectOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Console console;
    private final Map<String, String> environment;

    public ConnectCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        Asked asked = asked();
        Verbosity.set(asked.verbose());
        MessageHandler handler = handlerOf(asked);
        RemoteAgentClient client = clientOf(asked);
        PollOptions poll = pollOptionsOf(asked);
        join(client, hasToken(client, asked));
        console.out("[molecule] connected as " + asked.workspaceId() + " (platform=" + asked.platformUrl()
                + ", delivery=poll, interval=" + asked.pollSeconds() + "s)");
        return run(asked, client, handler, poll);
    }

    /**
     * Always, also with a token: only a registered agent shows its name and URL, and registering again changes nothing. An agent
     * that was here before waits for a platform that is away.
     */
    private void join(RemoteAgentClient client, boolean hasToken) {
        try {
            client.register();
        } catch (PlatformException e) {
            boolean mayWorkLater = e.isUnreachable() || e.status() == 429 || e.status() >= 500;
            if (!hasToken || !mayWorkLater) {
                throw LaunchFailure.usersTurn("[molecule] register failed: " + e.getMessage());
            }
            console.say("[molecule] register failed, going on with the token at hand: " + e.getMessage());
        } catch (UncheckedIOException e) {
            throw LaunchFailure.usersTurn("[molecule] register failed: " + e.getMessage());
        }
    }

    private int run(Asked asked, RemoteAgentClient client, MessageHandler handler, PollOptions poll) {
        var ending = ExitOnSignal.onSignal(console);
        try {
            LoopOptions loop =
                    asked.waitWhilePaused() ? LoopOptions.defaults().waitingWhilePaused() : LoopOptions.defaults();
            String status = client.runAgentLoop(handler, new PollDelivery(client, poll), loop);
            console.out("[molecule] platform reports workspace " + status + " — exiting");
            return 0;
        } catch (TokenLostException e) {
            throw LaunchFailure.usersTurn("[molecule] " + e.error());
        } catch (InterruptedException signal) {
            return 0;
        } finally {
            ending.loopEnded();
        }
    }

    private Asked asked() {
        try {
            return options.over(environment);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private static MessageHandler handlerOf(Asked asked) {
        String handler = asked.handler().strip();
        if (!handler.startsWith(CommandHandler.PREFIX)) {
            List<Path> classPath = Arrays.stream(asked.classPath().split(Pattern.quote(File.pathSeparator)))
                    .map(Path::of)
                    .toList();
            return MethodHandler.find(handler, classPath);
        }
        String command = handler.substring(CommandHandler.PREFIX.length()).strip();
        if (command.isEmpty()) {
            throw LaunchFailure.broken("error: handler '" + handler + "' is malformed: the command is missing");
        }
        return new CommandHandler(command, asked.commandTimeout());
    }

    private PollOptions pollOptionsOf(Asked asked) {
        if (!SECONDS.matcher(asked.pollSeconds()).matches() || Double.parseDouble(asked.pollSeconds()) == 0) {
            throw new ParameterException(
                    spec.commandLine(), "--poll-interval must be a positive number of seconds: " + asked.pollSeconds());
        }
        var interval = Duration.ofMillis(Math.round(Double.parseDouble(asked.pollSeconds()) * 1000));
        return PollOptions.defaults()
                .withInterval(interval)
                .withCursorFile(asked.cursorFile()
                        .orElseGet(() -> Path.of(
                                System.getProperty("user.home"), ".molecule", asked.workspaceId(), CURSOR_FILE)));
    }

    private RemoteAgentClient clientOf(Asked asked) {
        try {
            String id = asked.workspaceId();
            return RemoteAgentClient.builder(id, asked.platformUrl())
                    .agentName(asked.agentName().orElse("remote-" + id.substring(0, Math.min(8, id.length()))))
                    .reportedUrl(asked.reportedUrl())
                    .orgId(asked.orgId())
                    .build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    /** A token handed over is kept for the next time. */
    private static boolean hasToken(RemoteAgentClient client, Asked asked) {
        try {
            asked.token().ifPresent(client::saveToken);
            return client.config().tokens().load().isPresent();
        } catch (UncheckedIOException e) {
            throw LaunchFailure.usersTurn("[molecule] the token file cannot be used: " + e.getMessage());
        }
    }
}
