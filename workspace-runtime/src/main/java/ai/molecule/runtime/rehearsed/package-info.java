/**
 * Agents whose brains are programs: the four of the example *Club Calendar*. What they decide is written here beforehand; the files they
 * read, the checks they run, the messages they send, the approval they ask for and the report they write are real. Each step is kept in a
 * file when it is done, so an agent that was killed goes on where it was and repeats nothing.
 */
@NullMarked
package ai.molecule.runtime.rehearsed;

import org.jspecify.annotations.NullMarked;
