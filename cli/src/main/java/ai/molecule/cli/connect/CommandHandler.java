package ai.molecule.cli.connect;

import ai.molecule.sdk.InboundMessage;
import ai.molecule.sdk.MessageHandler;
import ai.molecule.sdk.RemoteAgentClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Any command of the shell: the message's text on its standard input, its standard output is the reply, its standard error goes
 * to ours. Who wrote the message is in the environment: {@code MOLECULE_ACTIVITY_ID}, {@code MOLECULE_SOURCE} ({@code
 * canvas_user} or {@code peer_agent}), {@code MOLECULE_PEER_ID}, {@code MOLECULE_PEER_NAME}, {@code MOLECULE_PEER_ROLE}. The
 * token is not.
 */
final class CommandHandler implements MessageHandler {

    static final String PREFIX = "cmd:";

    private static final int REPLY_MAX_BYTES = 1024 * 1024;

    private final String command;
    private final Duration timeout;

    /** @param timeout for one message; then the command and what it started are killed */
    CommandHandler(String command, Duration timeout) {
        this.command = command;
        this.timeout = timeout;
    }

    @Override
    public String handle(InboundMessage message, RemoteAgentClient client) throws Exception {
        Process process = start(message, client);
        try {
            var reply =
                    CompletableFuture.supplyAsync(() -> read(process.getInputStream()), CommandHandler::onOwnThread);
            onOwnThread(() -> write(process, message.text()));
            String said = reply.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (!process.waitFor(1, TimeUnit.SECONDS)) {
                throw new IOException("the command closed its output and did not end");
            }
            if (process.exitValue() != 0) {
                throw new IOException("the command ended with " + process.exitValue());
            }
            return said.strip();
        } catch (TimeoutException e) {
            throw new IOException("the command did not end within " + timeout.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private Process start(InboundMessage message, RemoteAgentClient client) throws IOException {
        var builder = new ProcessBuilder("sh", "-c", command).redirectError(ProcessBuilder.Redirect.INHERIT);
        var environment = builder.environment();
        environment.remove(ConnectCommand.TOKEN_VARIABLE);
        environment.put("MOLECULE_WORKSPACE_ID", client.workspaceId());
        environment.put("MOLECULE_ACTIVITY_ID", clean(message.activityId()));
        environment.put("MOLECULE_SOURCE", message.source().name().toLowerCase(java.util.Locale.ROOT));
        environment.put("MOLECULE_PEER_ID", clean(message.sourceId()));
        environment.put("MOLECULE_PEER_NAME", clean(message.peerName()));
        environment.put("MOLECULE_PEER_ROLE", clean(message.peerRole()));
        return builder.start();
    }

    /** An environment cannot hold a NUL. */
    private static String clean(String value) {
        return value.replace("\0", "");
    }

    private static String read(InputStream output) {
        try {
            byte[] bytes = output.readNBytes(REPLY_MAX_BYTES + 1);
            if (bytes.length > REPLY_MAX_BYTES) {
                throw new IllegalStateException("the command said more than 1 MiB");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException killed) {
            return "";
        }
    }

    private static void write(Process process, String text) {
        try (var in = process.getOutputStream()) {
            in.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException notInterested) {
            // a command may answer without reading
        }
    }

    private static void onOwnThread(Runnable work) {
        Thread.ofVirtual().start(work);
    }
}
