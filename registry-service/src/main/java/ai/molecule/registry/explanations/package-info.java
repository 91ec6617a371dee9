/**
 * Why one workspace's message reaches another or does not, in words, for whoever runs the organisation: {@code GET /explain}. The rules
 * themselves are elsewhere; what is said here is which of them decides ({@link ai.molecule.registry.explanations.Explanation}).
 */
@NullMarked
package ai.molecule.registry.explanations;

import org.jspecify.annotations.NullMarked;
