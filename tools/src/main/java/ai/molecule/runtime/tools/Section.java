package ai.molecule.runtime.tools;

import java.util.List;

/** Where a tool stands in the prompt and the documentation. */
public enum Section {
    A2A("Inter-Agent Communication"),
    MEMORY("Hierarchical Memory (HMA)"),

    /** What an agent is given beside the platform's tools; it stands in no prompt. */
    OWN("The Agent's Own");

    /** Those of {@link Tools#ALL}. */
    static final List<Section> OF_THE_PLATFORM = List.of(A2A, MEMORY);

    private final String heading;

    Section(String heading) {
        this.heading = heading;
    }

    public String heading() {
        return heading;
    }
}
