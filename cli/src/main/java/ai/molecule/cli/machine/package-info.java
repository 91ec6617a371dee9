/** What a platform needs of the machine it is to run on, looked at without starting one. */
@NullMarked
package ai.molecule.cli.machine;

import org.jspecify.annotations.NullMarked;
