package ai.molecule.cli.embedded;

import ai.molecule.cli.process.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How a server's program is started: in a session of its own, so that what ends the launcher leaves it to end in order. */
final class ServerProcess {

    private ServerProcess() {}

    /** @param log what it prints is added there */
    static Process start(List<String> command, Path folder, Path log) throws IOException {
        var words = new ArrayList<>(Commands.ownSession());
        words.addAll(command);
        return new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }
}
