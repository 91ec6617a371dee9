package ai.molecule.runtime.tasks;

/** What goes with an answer, behind its words. */
public sealed interface AnsweredPart permits AnsweredFile, AnsweredData {}
