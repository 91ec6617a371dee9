/**
 * Work in the background, each idea once: a {@link ai.molecule.common.loops.Loop} does something again and again, a
 * {@link ai.molecule.common.loops.GroupCommit} writes what many hand in with one statement. Both are bounded in time, show what they
 * wait for, and can be ended and awaited.
 */
@NullMarked
package ai.molecule.common.loops;

import org.jspecify.annotations.NullMarked;
