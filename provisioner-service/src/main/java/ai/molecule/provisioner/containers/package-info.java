/** What every backend that runs agents in containers needs to know about them: their images and what they may use. */
@NullMarked
package ai.molecule.provisioner.containers;

import org.jspecify.annotations.NullMarked;
