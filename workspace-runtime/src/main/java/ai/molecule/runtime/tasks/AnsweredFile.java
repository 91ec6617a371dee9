package ai.molecule.runtime.tasks;

/**
 * A file that goes with an answer.
 *
 * @param uri {@code workspace:/workspace/...}, where whoever reads the answer can download it; or of anything elsewhere
 * @param name as the answer calls it
 * @param type its media type
 */
public record AnsweredFile(String uri, String name, String type) implements AnsweredPart {}
