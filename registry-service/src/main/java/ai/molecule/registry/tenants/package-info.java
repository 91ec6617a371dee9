/** Tenants: which there are, and what each may spend together. Whose a tree is stands at its root ({@code workspaces.tenant}). */
@NullMarked
package ai.molecule.registry.tenants;

import org.jspecify.annotations.NullMarked;
