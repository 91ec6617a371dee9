package ai.molecule.runtime.agent;

import ai.molecule.runtime.tools.Excerpt;

/**
 * A tool that was used on the way to an answer, as people are shown it (runtime contract, 2.9).
 *
 * @param input what it was given, its first {@value #INPUT_MAX_CHARS} characters
 * @param outputPreview what it answered, its first {@value #OUTPUT_MAX_CHARS} characters
 */
public record ToolUse(String tool, String input, String outputPreview) {

    private static final int TOOL_MAX_CHARS = 128;
    private static final int INPUT_MAX_CHARS = 500;
    private static final int OUTPUT_MAX_CHARS = 300;

    public ToolUse {
        tool = Excerpt.of(tool, TOOL_MAX_CHARS);
        input = Excerpt.of(input, INPUT_MAX_CHARS);
        outputPreview = Excerpt.of(outputPreview, OUTPUT_MAX_CHARS);
    }
}
