package ai.molecule.runtime.tools;

/** Where a tool stands in the prompt and the documentation. */
public enum Section {
    A2A("Inter-Agent Communication"),
    MEMORY("Hierarchical Memory (HMA)");

    private final String heading;

    Section(String heading) {
        this.heading = heading;
    }

    public String heading() {
        return heading;
    }
}
