package ai.molecule.cli.up;

import ai.molecule.cli.data.RunFile;
import java.util.SequencedMap;

/** The four services, running. Closing stops them within 4 s and leaves the agents to the lifeline. */
interface Platform extends AutoCloseable {

    /** Where each service listens now, by its label. */
    SequencedMap<String, RunFile.Endpoint> services();

    /** Whether the service has ended more than once since it was first started; waiting for it is idle then. */
    boolean keepsEnding(String label);

    @Override
    void close();
}
