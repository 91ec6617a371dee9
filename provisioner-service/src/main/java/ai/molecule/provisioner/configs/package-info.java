/**
 * The {@code config.yaml} of an agent: what an agent starts with, what the platform reads of it, what it writes for one that came
 * without.
 */
@NullMarked
package ai.molecule.provisioner.configs;

import org.jspecify.annotations.NullMarked;
