package ai.molecule.runtime.mcpclient;

import ai.molecule.runtime.mcpclient.McpFailure.Kind;
import ai.molecule.runtime.processes.ProcessHold;
import ai.molecule.runtime.processes.ProcessRoom;
import ai.molecule.runtime.processes.ProcessTree;
import ai.molecule.runtime.processes.Programs;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server that is a program: a message a line over its standard input and output. What it says on standard error is left alone. */
final class StdioTransport implements McpTransport {

    private static final Logger LOGGER = LoggerFactory.getLogger(StdioTransport.class);

    /** Of a server that does not read its input, so many messages wait. */
    private static final int WAITING_MAX = 64;

    private static final Duration EXIT_MAX = Duration.ofSeconds(1);
    private static final int BUFFER_BYTES = 8192;

    private final String name;
    private final Process process;
    private final ProcessTree tree;
    private final ProcessHold hold;
    private final Runnable toolsChanged;
    private final BlockingQueue<byte[]> outgoing = new ArrayBlockingQueue<>(WAITING_MAX);
    private final Map<String, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private volatile String ended = ""; // why; set once
    private int unaskedBytes;

    private StdioTransport(String name, Process process, ProcessTree tree, ProcessHold hold, Runnable toolsChanged) {
        this.name = name;
        this.process = process;
        this.tree = tree;
        this.hold = hold;
        this.toolsChanged = toolsChanged;
    }

    /**
     * Starts the program.
     *
     * @param folder where it works
     * @param room for what it starts
     * @throws McpFailure when it cannot be started
     */
    static StdioTransport start(McpServerConfig server, Path folder, ProcessRoom room, Runnable toolsChanged)
            throws InterruptedException {
        String program = server.command().getFirst();
        String known = program.contains("/") ? folder.resolve(program).toString() : program;
        if (Programs.find(known, server.environment()).isEmpty()) {
            throw new McpFailure(Kind.BROKEN, "cannot be started: there is no program " + program);
        }
        int most = room.forOneThatStays()
                .orElseThrow(() ->
                        new McpFailure(Kind.BROKEN, "cannot be started: the agent has no room for its processes"));
        String mark = UUID.randomUUID().toString();
        var hold = ProcessHold.ofOneThatStays(most, server.environment());
        var builder = new ProcessBuilder(hold.around(server.command())).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().putAll(new HashMap<>(server.environment()));
        builder.environment().put("MOLECULE_MCP_SERVER", mark);
        try {
            Process process = builder.start();
            var transport = new StdioTransport(
                    server.name(),
                    process,
                    new ProcessTree(process, "MOLECULE_MCP_SERVER=" + mark),
                    hold,
                    toolsChanged);
            transport.inBackground("read", transport::read);
            transport.inBackground("write", transport::write);
            transport.inBackground("errors", transport::passOver);
            return transport;
        } catch (IOException absent) {
            hold.close();
            LOGGER.atWarn()
                    .addKeyValue("server", server.name())
                    .setCause(absent)
                    .log("MCP server cannot be started");
            throw new McpFailure(Kind.BROKEN, "cannot be started");
        }
    }

    @Override
    public JsonNode ask(ObjectNode request, Duration timeout) throws InterruptedException {
        String id = request.path("id").asText();
        var answer = new CompletableFuture<JsonNode>();
        asked.put(id, answer);
        try {
            if (!isOpen()) { // looked at after the question stands in the table, so that its end misses none
                throw new McpFailure(Kind.BROKEN, ended);
            }
            if (!outgoing.offer(line(request))) {
                throw new McpFailure(Kind.BROKEN, "does not read what it is sent");
            }
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new McpFailure(Kind.SILENT, "did not answer within " + timeout.toSeconds() + " s");
        } catch (ExecutionException e) {
            throw new McpFailure(Kind.BROKEN, ended);
        } finally {
            asked.remove(id);
        }
    }

    @Override
    public void tell(ObjectNode message) {
        if (!outgoing.offer(line(message))) {
            end("does not read what it is sent");
        }
    }

    @Override
    public void speaks(String version) {
        // nothing on these lines names it
    }

    @Override
    public boolean isOpen() {
        return ended.isEmpty();
    }

    @Override
    public void close() {
        end("was stopped");
    }

    private synchronized boolean ends(String why) {
        boolean first = ended.isEmpty();
        ended = first ? why : ended;
        return first;
    }

    private void end(String why) {
        if (ends(why)) {
            LOGGER.atInfo().addKeyValue("server", name).addKeyValue("why", why).log("MCP server ended");
            inBackground("end", () -> {
                tree.kill();
                hold.close();
            });
        }
        var over = new McpFailure(Kind.BROKEN, why);
        asked.values().forEach(answer -> answer.completeExceptionally(over));
    }

    private void read() throws IOException, InterruptedException {
        var in = new BufferedInputStream(process.getInputStream(), BUFFER_BYTES);
        var line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') {
                take(line.toByteArray());
                line.reset();
            } else if (line.size() < MESSAGE_MAX_BYTES) {
                line.write(next);
            } else {
                end("sent a message of more than 2 MiB and was stopped");
            }
            if (!isOpen()) {
                return;
            }
        }
        boolean gone = process.waitFor(EXIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
        end(gone ? "ended with exit code " + process.exitValue() : "closed its output");
    }

    private void take(byte[] line) {
        JsonNode message = JsonRpc.read(line);
        CompletableFuture<JsonNode> waiting =
                JsonRpc.isAnswer(message) ? asked.remove(message.path("id").asText()) : null;
        if (waiting != null) {
            unaskedBytes = 0;
            waiting.complete(message);
            return;
        }
        unaskedBytes += line.length + 1;
        if (unaskedBytes > UNASKED_MAX_BYTES) {
            end("flooded its output with what nobody asked for and was stopped");
        } else if (JsonRpc.saysToolsChanged(message)) {
            toolsChanged.run();
        } else {
            JsonRpc.reactionTo(message).ifPresent(this::tell);
        }
    }

    private void write() throws IOException, InterruptedException {
        try (OutputStream out = process.getOutputStream()) {
            while (isOpen()) {
                byte[] line = outgoing.poll(1, TimeUnit.SECONDS);
                if (line != null) {
                    out.write(line);
                    out.flush();
                }
            }
        }
    }

    /** So that it is never held up by what nobody reads. Its words may repeat secrets, so they are not kept. */
    private void passOver() throws IOException {
        InputStream errors = process.getErrorStream();
        byte[] buffer = new byte[BUFFER_BYTES];
        while (errors.read(buffer) >= 0) {
            // read away
        }
    }

    private static byte[] line(ObjectNode message) {
        return (message + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private void inBackground(String what, Step step) {
        Thread.ofVirtual().name("mcp-" + name + "-" + what).start(() -> {
            try {
                step.run();
            } catch (IOException gone) {
                LOGGER.atDebug().addKeyValue("server", name).setCause(gone).log("a pipe broke");
                end("is gone");
            } catch (InterruptedException nobodyDoes) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
