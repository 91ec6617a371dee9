/**
 * Agents of ours that fell silent: asked whether they still answer, and replaced when they do not, or not for long.
 */
@NullMarked
package ai.molecule.registry.suspicions;

import org.jspecify.annotations.NullMarked;
