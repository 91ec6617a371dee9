package ai.molecule.provisioner.kubernetes;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.UUID;

/** Runs commands where a workspace's files are. */
interface Shell {

    /**
     * What came of a script.
     *
     * @param exitCode of the script
     * @param output all of its standard output
     */
    record Outcome(int exitCode, Buffer output) {}

    /**
     * Blocks until the script ends. What people typed is an argument of the script, never part of it.
     *
     * @param input what the script finds at its standard input, which is not closed after it: it must know how much to read
     * @param maxBytes of the output; a script that writes more fails
     */
    Outcome run(UUID workspaceId, String script, Buffer input, int maxBytes, String... arguments) throws IOException;
}
