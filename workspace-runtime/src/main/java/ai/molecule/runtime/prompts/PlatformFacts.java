package ai.molecule.runtime.prompts;

import ai.molecule.sdk.Peer;
import java.util.List;

/**
 * What the platform said.
 *
 * @param instructions for every agent; empty when there are none
 * @param parentContext what the parent shares
 */
record PlatformFacts(String instructions, List<Named> parentContext, List<Peer> peers) {

    static final PlatformFacts NONE = new PlatformFacts("", List.of(), List.of());

    /** A text and where it comes from. */
    record Named(String path, String text) {}

    PlatformFacts {
        parentContext = List.copyOf(parentContext);
        peers = List.copyOf(peers);
    }
}
