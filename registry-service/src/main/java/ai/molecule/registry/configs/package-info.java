/**
 * What clients keep about a workspace: one JSON object, merged member by member. The platform itself does not read it.
 */
@NullMarked
package ai.molecule.registry.configs;

import org.jspecify.annotations.NullMarked;
