package ai.molecule.runtime.cli;

import java.io.IOException;
import java.io.InputStream;

/** Makes an answer of what a program writes to its standard output. */
interface Output {

    /** Reads to the end; a program may write for hours. */
    void read(InputStream written) throws IOException;

    /** What it complained of there and not on standard error, when it says that it failed; empty when it does not. */
    default String complaint() {
        return "";
    }
}
