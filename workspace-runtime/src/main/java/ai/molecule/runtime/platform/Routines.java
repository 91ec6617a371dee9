package ai.molecule.runtime.platform;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an agent does beside answering, each on a virtual thread, until it is stopped. */
public final class Routines implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(Routines.class);

    /** Something that goes on until it is done or interrupted. */
    public interface Routine {
        void run() throws InterruptedException;
    }

    private final List<Thread> threads = new ArrayList<>();

    public void begin(String name, Routine routine) {
        threads.add(Thread.ofVirtual().name(name).start(() -> run(name, routine)));
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }

    private static void run(String name, Routine routine) {
        try {
            routine.run();
        } catch (InterruptedException stopped) {
            LOGGER.atDebug().addKeyValue("routine", name).log("stopped");
        } catch (RuntimeException e) {
            LOGGER.atError().addKeyValue("routine", name).setCause(e).log("routine ended unexpectedly");
        }
    }
}
