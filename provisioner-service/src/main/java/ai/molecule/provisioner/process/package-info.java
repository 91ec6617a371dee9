/**
 * Agents as child processes of this machine: folders, log, environment, token, and the process itself. For trusted agents only:
 * a process runs as the user who runs the platform. One provisioner serves one data folder.
 */
@NullMarked
package ai.molecule.provisioner.process;

import org.jspecify.annotations.NullMarked;
