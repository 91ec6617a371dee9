/** Events that change no workspace: what people who watch should know about a start. */
@NullMarked
package ai.molecule.provisioner.notices;

import org.jspecify.annotations.NullMarked;
