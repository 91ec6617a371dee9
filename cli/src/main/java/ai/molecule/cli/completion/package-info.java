/** The command about itself: completion for shells, and the texts that are kept beside the launcher and read without it. */
@NullMarked
package ai.molecule.cli.completion;

import org.jspecify.annotations.NullMarked;
