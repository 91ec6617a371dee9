package ai.molecule.provisioner.kubernetes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.UUID;

/** Runs commands where a workspace's files are. */
interface Shell {

    /**
     * Blocks until the script ends, and gives its exit code. What people typed is an argument of the script, never part of it.
     *
     * @param input what the script finds at its standard input, which is not closed after it: it must know how much to read
     * @param output gets what it writes to its standard output; the script bounds it
     */
    int run(UUID workspaceId, String script, List<String> arguments, InputStream input, OutputStream output)
            throws IOException;
}
