package ai.molecule.proxy.models.translation;

import ai.molecule.proxy.models.translation.NeutralRequest.Part;
import java.util.List;

/**
 * What a model answers, in no protocol's words. What it used is told beside it.
 *
 * @param parts texts and calls of tools
 */
record NeutralAnswer(String id, String model, List<Part> parts, Stop stop) {

    /** Why it wrote no further. */
    enum Stop {
        DONE,
        LENGTH,
        CALLS_TOOLS,
        REFUSED
    }
}
