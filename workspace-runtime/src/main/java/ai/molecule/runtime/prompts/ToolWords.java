package ai.molecule.runtime.prompts;

/** What a prompt says of the platform's tools, which depends on how the model reaches them. */
public enum ToolWords {
    /** It calls them. */
    TOOLS,
    /** It has a shell with the {@code molecule} command. */
    SHELL,
    /** Not at all. */
    NONE
}
