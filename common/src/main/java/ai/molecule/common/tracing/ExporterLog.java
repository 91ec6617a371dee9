package ai.molecule.common.tracing;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what OpenTelemetry tells of itself into our log: one line, without a stack. It speaks of a failing collector at most
 * five times in a minute and then once a minute.
 */
final class ExporterLog extends Handler {

    private static final org.slf4j.Logger LOGGER = LoggerFactory.getLogger(ExporterLog.class);

    /** Held, because the JDK forgets loggers nobody holds, and with them their handlers. */
    private static final Logger THEIRS = Logger.getLogger("io.opentelemetry");

    private ExporterLog() {}

    static synchronized void keepShort() {
        if (THEIRS.getHandlers().length == 0) {
            THEIRS.setUseParentHandlers(false);
            THEIRS.addHandler(new ExporterLog());
        }
    }

    @Override
    public void publish(LogRecord told) {
        if (told.getLevel().intValue() >= Level.WARNING.intValue()) {
            LOGGER.atWarn().addKeyValue("tells", told.getMessage()).log("traces are not exported");
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
