package ai.molecule.cli.up;

import ai.molecule.cli.data.DataFolder;
import ai.molecule.common.logs.AppendedLog;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the logs of what the launcher starts, and which rotates none itself, within their bound: looks at them now and every minute. */
final class PrintedLogs implements AutoCloseable {

    private static final List<String> NAMES = List.of("postgres", "redis", "watchdog", "ports");

    private static final Logger LOGGER = LoggerFactory.getLogger(PrintedLogs.class);

    private final DataFolder data;
    private final long bytesMax;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("printed-logs").factory());

    private PrintedLogs(DataFolder data, long bytesMax) {
        this.data = data;
        this.bytesMax = bytesMax;
    }

    static PrintedLogs keep(DataFolder data) {
        return keep(data, AppendedLog.BYTES_MAX);
    }

    static PrintedLogs keep(DataFolder data, long bytesMax) {
        var logs = new PrintedLogs(data, bytesMax);
        var _ = logs.timer.scheduleWithFixedDelay(logs::trim, 0, 1, TimeUnit.MINUTES);
        return logs;
    }

    private void trim() {
        for (String name : NAMES) {
            try {
                new AppendedLog(data.log(name), bytesMax).trim();
            } catch (IOException e) {
                LOGGER.atWarn()
                        .addKeyValue("log", name)
                        .addKeyValue("reason", e.toString())
                        .log("a log that grew too long cannot be cut");
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
