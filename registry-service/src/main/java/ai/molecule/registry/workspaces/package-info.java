/**
 * Workspaces: create, list, get, change, and the views other services take of them.
 */
@NullMarked
package ai.molecule.registry.workspaces;

import org.jspecify.annotations.NullMarked;
