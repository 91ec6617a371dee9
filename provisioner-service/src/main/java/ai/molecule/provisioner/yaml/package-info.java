/** YAML that strangers wrote, read within bounds. */
@NullMarked
package ai.molecule.provisioner.yaml;

import org.jspecify.annotations.NullMarked;
