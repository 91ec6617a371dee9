package ai.molecule.runtime.a2a;

import ai.molecule.runtime.agent.Transcript;

/** Where {@code /transcript} gets its lines from. */
public interface TranscriptSource {

    /** The runtime whose agent keeps it, as it was asked for. */
    String runtime();

    /**
     * May block.
     *
     * @param since from 0
     * @param limit how many lines at most, from 1
     */
    Transcript read(int since, int limit);
}
