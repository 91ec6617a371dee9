/**
 * Session search: what a workspace did and what it remembers, found by one text. Activity is ours, memories are asked of the
 * registry.
 */
@NullMarked
package ai.molecule.events.search;

import org.jspecify.annotations.NullMarked;
