package ai.molecule.runtime.mcpclient;

import ai.molecule.runtime.mcpclient.McpFailure.Kind;
import ai.molecule.runtime.processes.ProcessRoom;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server, over all its lives: connected when it is first needed, and anew when it is gone, after a pause that grows. The tools it had
 * stay known meanwhile; a call of one that cannot be had says why, and when it is worth another try.
 */
final class ServerLink implements AutoCloseable {

    /** A server that lets so many calls run into their time, one after the other, is begun anew. */
    static final int SILENT_MAX = 3;

    private static final Logger LOGGER = LoggerFactory.getLogger(ServerLink.class);

    private volatile McpServerConfig server;
    private final Path folder;
    private final Clock clock;
    private final ProcessRoom room;
    private final ReentrantLock connecting = new ReentrantLock();

    private volatile @Nullable McpTransport transport; // of the connection, or of one that is being greeted
    private volatile @Nullable McpConnection connection;
    private volatile List<ListedTool> tools = List.of();
    private volatile boolean stale;
    private volatile boolean renewed; // its settings are others than those of the connection
    private volatile String trouble = "has not answered yet";
    private volatile boolean closed;
    private int failures; // in a row; this and the two below only by who holds this object
    private int silent;
    private Instant notBefore = Instant.MIN;

    /** @param folder where a program works */
    ServerLink(McpServerConfig server, Path folder, Clock clock) {
        this(server, folder, clock, ProcessRoom.ofThisAgent());
    }

    ServerLink(McpServerConfig server, Path folder, Clock clock, ProcessRoom room) {
        this.room = room;
        this.server = server;
        this.folder = folder;
        this.clock = clock;
    }

    String name() {
        return server.name();
    }

    /** Connects, unless it is connected or it is too early. Never fails: {@link #trouble} says what came of it. */
    void tryToConnect() throws InterruptedException {
        try {
            connected();
        } catch (McpFailure known) {
            // it stands in trouble
        }
    }

    /** Those it had when it last answered. */
    List<ListedTool> tools() {
        return tools;
    }

    /** Why it cannot be used; empty when it can. */
    String trouble() {
        McpConnection now = connection;
        return now != null && now.isOpen() ? "" : trouble;
    }

    /** What a tool answered, or a sentence about why it did not. */
    String call(ListedTool tool, JsonNode arguments) throws InterruptedException {
        try {
            McpConnection now = connected();
            try {
                String text = CallResult.text(now.call(tool.name(), arguments, server.timeout()));
                answered();
                return text;
            } catch (McpFailure failure) {
                failed(now, failure);
                throw failure;
            }
        } catch (McpFailure failure) {
            return "Error: the tool server " + server.name() + " " + failure.why();
        }
    }

    /** With other settings from the next call on, and at once even where it was waited before another try. Calls that run then may fail. */
    synchronized void renew(McpServerConfig other) {
        if (!other.equals(server)) {
            server = other;
            failures = 0;
            notBefore = Instant.MIN;
            renewed = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        McpTransport now = transport;
        if (now != null) {
            now.close();
        }
    }

    private McpConnection connected() throws InterruptedException {
        McpConnection now = connection;
        if (now != null && now.isOpen() && !stale && !renewed) {
            return now;
        }
        connecting.lockInterruptibly(); // whoever holds it has a time limit of its own
        try {
            now = connection;
            if (renewed) {
                renewed = false;
                connection = null;
                if (now != null) {
                    now.close();
                }
                return begun();
            }
            if (now == null || !now.isOpen()) {
                if (now != null) {
                    lost(now, "is gone");
                }
                return begun();
            }
            if (stale) {
                stale = false;
                list(now);
            }
            return now;
        } finally {
            connecting.unlock();
        }
    }

    private McpConnection begun() throws InterruptedException {
        Duration pause = pause();
        if (closed || pause.isPositive()) {
            throw new McpFailure(
                    Kind.REFUSED,
                    "is not running: it " + trouble
                            + (closed ? "" : "; it is begun anew in " + (pause.toSeconds() + 1) + " s"));
        }
        try {
            var way = transport();
            transport = way;
            if (closed) { // while it was started: whoever closes looks there after saying so
                way.close();
            }
            var begun = McpConnection.open(server.name(), way);
            connection = begun;
            list(begun);
            LOGGER.atInfo()
                    .addKeyValue("server", server.name())
                    .addKeyValue("tools", tools.size())
                    .log("MCP server connected");
            return begun;
        } catch (McpFailure failure) {
            lost(connection, failure.why());
            throw failure;
        }
    }

    private McpTransport transport() throws InterruptedException {
        return server.url().isPresent()
                ? new HttpTransport(server, server.url().get(), () -> stale = true)
                : StdioTransport.start(server, folder, room, () -> stale = true);
    }

    private void list(McpConnection now) throws InterruptedException {
        tools = now.tools().stream()
                .filter(tool -> server.allowed().isEmpty() || server.allowed().contains(tool.name()))
                .toList();
    }

    private synchronized Duration pause() {
        Instant now = clock.instant();
        return now.isBefore(notBefore) ? Duration.between(now, notBefore) : Duration.ZERO;
    }

    private synchronized void answered() {
        failures = 0;
        silent = 0;
    }

    private synchronized void failed(McpConnection now, McpFailure failure) {
        silent = failure.kind() == Kind.SILENT ? silent + 1 : 0;
        if (failure.kind() == Kind.BROKEN || !now.isOpen()) {
            lost(now, failure.why());
        } else if (silent >= SILENT_MAX) {
            lost(now, "did not answer " + SILENT_MAX + " times");
        }
    }

    /** Lets go of a connection; a second time for the same one changes nothing. */
    private synchronized void lost(@Nullable McpConnection gone, String why) {
        if (gone != null && gone != connection) {
            return;
        }
        if (gone != null) {
            gone.close();
        }
        connection = null;
        silent = 0;
        failures++;
        trouble = why;
        notBefore = clock.instant().plus(RestartPause.after(failures, ThreadLocalRandom.current()));
        LOGGER.atWarn()
                .addKeyValue("server", server.name())
                .addKeyValue("why", why)
                .addKeyValue("failures", failures)
                .log("MCP server lost");
    }
}
