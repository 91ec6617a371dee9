/**
 * Creating workspaces together with the files their agents start with: what organisations and bundles have in common. The
 * registry creates them, paused; then the files are written; then they are wanted to run. So no agent ever starts without its
 * files, and what a crash leaves behind is there to be seen, resumed or deleted.
 */
@NullMarked
package ai.molecule.provisioner.imports;

import org.jspecify.annotations.NullMarked;
