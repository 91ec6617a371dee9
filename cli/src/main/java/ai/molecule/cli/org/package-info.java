/** Importing organisations: a folder of this machine is sent as it is, and the platform says what became of it. */
@NullMarked
package ai.molecule.cli.org;

import org.jspecify.annotations.NullMarked;
