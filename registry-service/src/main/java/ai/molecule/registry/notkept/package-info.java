/** What existing clients ask for and nobody keeps here: the empty answer in their shape, and a plain no to whoever wants some made. */
@NullMarked
package ai.molecule.registry.notkept;

import org.jspecify.annotations.NullMarked;
