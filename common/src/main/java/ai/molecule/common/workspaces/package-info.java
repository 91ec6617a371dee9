/**
 * Values every service shares about workspaces: status and the access rule.
 */
@NullMarked
package ai.molecule.common.workspaces;

import org.jspecify.annotations.NullMarked;
