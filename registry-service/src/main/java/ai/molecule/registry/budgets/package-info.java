/**
 * What a workspace may spend in a calendar month (UTC), in US cents. What it did spend its agent says with its heartbeats; at or
 * over the limit the proxy refuses messages to it.
 */
@NullMarked
package ai.molecule.registry.budgets;

import org.jspecify.annotations.NullMarked;
