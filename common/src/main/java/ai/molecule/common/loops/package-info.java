/**
 * Work in the background, each idea once: a {@link ai.molecule.common.loops.Loop} does something again and again, a
 * {@link ai.molecule.common.loops.GroupCommit} writes what many hand in with one statement, {@link ai.molecule.common.loops.Turns} lets
 * one after the other do what would wait for one lock. All are bounded in time, show what they
 * wait for, and can be ended and awaited.
 */
@NullMarked
package ai.molecule.common.loops;

import org.jspecify.annotations.NullMarked;
