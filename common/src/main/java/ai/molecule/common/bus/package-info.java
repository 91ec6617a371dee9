/**
 * The typed event bus. A contract is a record pair with its address and deadline; a hint is a record that may be lost.
 */
@NullMarked
package ai.molecule.common.bus;

import org.jspecify.annotations.NullMarked;
