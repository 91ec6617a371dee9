package ai.molecule.runtime.rehearsed;

import java.io.IOException;
import java.util.function.Consumer;

/** What one of the four does with a request, and what it answers. */
interface Part {

    String skill();

    /** @param say a piece of the answer, as soon as it is known */
    void play(Work work, Consumer<String> say) throws IOException, InterruptedException;
}
