/**
 * What every backend that runs agents in containers needs to know about them: their images, what they may use, and how files go in
 * and are found there.
 */
@NullMarked
package ai.molecule.provisioner.containers;

import org.jspecify.annotations.NullMarked;
