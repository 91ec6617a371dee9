/**
 * Agents announcing themselves: where they listen and what their card says.
 */
@NullMarked
package ai.molecule.registry.registrations;

import org.jspecify.annotations.NullMarked;
