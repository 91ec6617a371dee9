/**
 * What comes with Molecule to be used and copied from: example organisations, plugins and templates. They lie among the resources, and are laid
 * out where an operator would put his own, once; from then on the folder is his.
 */
@NullMarked
package ai.molecule.provisioner.shipped;

import org.jspecify.annotations.NullMarked;
