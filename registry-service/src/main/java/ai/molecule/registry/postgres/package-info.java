/**
 * What the stores of this service share: sessions of their own, and times.
 */
@NullMarked
package ai.molecule.registry.postgres;

import org.jspecify.annotations.NullMarked;
