/**
 * What a model may do with the files of its workspace: {@link ai.molecule.runtime.filetools.FileTools}.
 *
 * <p>Nothing leaves the folder: {@link ai.molecule.runtime.filetools.WorkFolder} walks every path from it a name at a time, on folders
 * that it holds open, and follows no link on the way. What a model may read, write and look through at a time is bounded.
 */
@NullMarked
package ai.molecule.runtime.filetools;

import org.jspecify.annotations.NullMarked;
