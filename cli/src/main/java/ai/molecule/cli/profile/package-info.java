/** Platforms elsewhere, by the names that their user gave them, in one file of the user's home. */
@NullMarked
package ai.molecule.cli.profile;

import org.jspecify.annotations.NullMarked;
