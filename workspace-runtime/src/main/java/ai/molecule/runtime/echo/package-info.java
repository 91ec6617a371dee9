/** The simplest agent that works: it repeats what it hears. Demonstrations and tests run on it, and it needs no model. */
@NullMarked
package ai.molecule.runtime.echo;

import org.jspecify.annotations.NullMarked;
