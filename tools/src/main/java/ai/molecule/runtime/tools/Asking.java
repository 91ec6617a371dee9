package ai.molecule.runtime.tools;

/** The tool {@code ask}. Whoever runs the model's tools ends the turn at it, and goes on with the answer when it comes. */
public final class Asking {

    public static final ToolSpec TOOL = new ToolSpec(
            "ask",
            "Ask whoever gave you this task a question that you cannot go on without, and go on with the answer.",
            "",
            new Schema()
                    .required("question", "What you want to know, understandable by itself.")
                    .json(),
            (toolbox, arguments) -> "Error: question must be given, and one question at a time",
            Section.OWN,
            true); // nobody is there to answer while the initial prompt is worked on

    private Asking() {}
}
