/**
 * What the work in the background did last, kept for people who ask.
 */
@NullMarked
package ai.molecule.common.reconcilers;

import org.jspecify.annotations.NullMarked;
