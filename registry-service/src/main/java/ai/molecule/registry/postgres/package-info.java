/**
 * What the stores of this service share: reads in batches, and times.
 */
@NullMarked
package ai.molecule.registry.postgres;

import org.jspecify.annotations.NullMarked;
