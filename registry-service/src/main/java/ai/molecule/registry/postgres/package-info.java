/**
 * What the stores of this service share: reads in batches, times, and what counts as spent this month.
 */
@NullMarked
package ai.molecule.registry.postgres;

import org.jspecify.annotations.NullMarked;
