/**
 * The files of a workspace as people and agents use them: the file tree, what a parent shares with its children, and what is
 * attached to a chat.
 */
@NullMarked
package ai.molecule.provisioner.files;

import org.jspecify.annotations.NullMarked;
