/**
 * The model a workspace's agent uses: its secret {@code MODEL_PROVIDER}, which runtimes prefer to the {@code model} of their
 * configuration.
 */
@NullMarked
package ai.molecule.registry.model;

import org.jspecify.annotations.NullMarked;
