/** Restart, pause and resume: a person's wish becomes the registry's, and the reconciler makes it true. */
@NullMarked
package ai.molecule.provisioner.lifecycle;

import org.jspecify.annotations.NullMarked;
