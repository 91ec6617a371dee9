/**
 * Folders that workspaces are made from: {@code CONFIGS_DIR/<template>/config.yaml} and whatever belongs to it. Open first {@link
 * ai.molecule.provisioner.templates.Templates}.
 */
@NullMarked
package ai.molecule.provisioner.templates;

import org.jspecify.annotations.NullMarked;
