package ai.molecule.runtime;

import java.io.IOException;
import java.io.InputStream;

/**
 * Ties this process to another one: whoever started it holds the other end of a stream, and when that end closes, for
 * whatever reason, this process has nobody left to stop it.
 */
final class Lifeline {

    private Lifeline() {}

    /** Runs {@code whenCut} once, on a thread of its own, when the stream ends or breaks. What arrives on it is ignored. */
    static void watch(InputStream stream, Runnable whenCut) {
        Thread watcher = new Thread(() -> drain(stream, whenCut), "lifeline");
        watcher.setDaemon(true);
        watcher.start();
    }

    private static void drain(InputStream stream, Runnable whenCut) {
        byte[] ignored = new byte[256];
        try {
            while (stream.read(ignored) >= 0) {
                // only the end means something
            }
        } catch (IOException broken) {
            // a broken lifeline is a cut one
        }
        whenCut.run();
    }
}
