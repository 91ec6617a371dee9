package ai.molecule.runtime.tasks;

/**
 * Data that go with an answer.
 *
 * @param json text of an object
 */
public record AnsweredData(String json) implements AnsweredPart {}
