/**
 * Scoped memories: what an agent remembers for itself (LOCAL), for its team or for everybody (GLOBAL, written by roots only).
 * Secrets are redacted before anything is stored; every GLOBAL write leaves an activity row.
 */
@NullMarked
package ai.molecule.registry.memories;

import org.jspecify.annotations.NullMarked;
