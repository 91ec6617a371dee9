/** What an agent printed last, for who looks after it. */
@NullMarked
package ai.molecule.provisioner.consoles;

import org.jspecify.annotations.NullMarked;
