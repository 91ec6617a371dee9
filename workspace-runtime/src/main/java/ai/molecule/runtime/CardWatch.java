package ai.molecule.runtime;

import ai.molecule.runtime.skills.FolderStamp;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that a running agent's card has become another one, because its config, its skills or its plugins were changed, and has
 * that told. It looks every {@link #EVERY}; what changed must have been left alone for one look, so that nobody is shown half of it.
 */
final class CardWatch implements AutoCloseable {

    static final Duration EVERY = Duration.ofSeconds(3);

    private static final Logger LOGGER = LoggerFactory.getLogger(CardWatch.class);

    private final Path folder;
    private final Supplier<ObjectNode> card;
    private final Consumer<ObjectNode> tell;
    private final Duration every;
    private final Thread thread = Thread.ofVirtual().name("card-watch").unstarted(this::watch);
    private ObjectNode told;

    private CardWatch(
            Path folder, ObjectNode told, Supplier<ObjectNode> card, Consumer<ObjectNode> tell, Duration every) {
        this.folder = folder;
        this.told = told;
        this.card = card;
        this.tell = tell;
        this.every = every;
    }

    /**
     * Begins on a thread of its own.
     *
     * @param told the card as everybody knows it
     * @param card makes it anew
     * @param tell takes one that is another; when it throws it is told again after the next look
     */
    static CardWatch begin(Path folder, ObjectNode told, Supplier<ObjectNode> card, Consumer<ObjectNode> tell) {
        return begin(folder, told, card, tell, EVERY);
    }

    static CardWatch begin(
            Path folder, ObjectNode told, Supplier<ObjectNode> card, Consumer<ObjectNode> tell, Duration every) {
        var watch = new CardWatch(folder, told, card, tell, every);
        watch.thread.start();
        return watch;
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void watch() {
        long seen = stamp();
        boolean unsettled = true; // something may have changed between the first card and the first look
        try {
            while (true) {
                Thread.sleep(every);
                long now = stamp();
                unsettled = now == seen ? unsettled && !isTold() : true;
                seen = now;
            }
        } catch (InterruptedException closed) {
            LOGGER.debug("card no longer watched");
        }
    }

    private long stamp() {
        return FolderStamp.of(folder.resolve("config.yaml"), folder.resolve("skills"), folder.resolve("plugins"));
    }

    private boolean isTold() {
        try {
            ObjectNode now = card.get();
            if (!now.equals(told)) {
                tell.accept(now);
                told = now;
                LOGGER.info("card changed");
            }
            return true;
        } catch (RuntimeException e) {
            LOGGER.atWarn().addKeyValue("reason", e.getMessage()).log("changed card could not be told");
            return false;
        }
    }
}
