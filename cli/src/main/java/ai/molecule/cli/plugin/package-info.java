/** {@code molecule plugin}: says what is wrong with plugins and templates, and computes a plugin's checksum. */
@NullMarked
package ai.molecule.cli.plugin;

import org.jspecify.annotations.NullMarked;
