package ai.molecule.cli.logs;

import ai.molecule.cli.Console;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;

/** Copies a log to standard output line by line, and goes on with the new file when the log is rolled. */
record LogPrinter(Path log, Console console) {

    private static final Duration PAUSE = Duration.ofMillis(200);

    /** @param follow never return: wait for more, until the thread is interrupted */
    void print(boolean follow) throws IOException, InterruptedException {
        do {
            var inode = Files.readAttributes(log, BasicFileAttributes.class).fileKey();
            try (var lines = Files.newBufferedReader(log)) {
                printAvailable(lines);
                while (follow && isStill(inode)) {
                    Thread.sleep(PAUSE);
                    printAvailable(lines);
                }
            }
        } while (follow);
    }

    private boolean isStill(Object inode) {
        try {
            return inode.equals(
                    Files.readAttributes(log, BasicFileAttributes.class).fileKey());
        } catch (IOException e) {
            return true; // between the old file and the new one
        }
    }

    private void printAvailable(BufferedReader lines) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            console.out(line);
        }
    }
}
