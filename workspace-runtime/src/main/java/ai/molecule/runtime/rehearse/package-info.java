/**
 * An agent that obeys the message it gets, line by line: what it says, how long it takes, what it asks, how it ends. Suites and demonstrations of
 * A2A get every state of a task from it, without a model ({@link ai.molecule.runtime.rehearse.Line} is the language).
 */
@NullMarked
package ai.molecule.runtime.rehearse;

import org.jspecify.annotations.NullMarked;
