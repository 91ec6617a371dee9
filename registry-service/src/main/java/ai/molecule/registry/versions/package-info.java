/**
 * Versions of an agent's settings: its fields, config, model, settings files and the names of its secrets, each with the time and the
 * credential it was changed with, and the way back to any of them. A trigger writes them (db/registry/V036__workspace_versions.sql), so no
 * way to change a setting goes past it; who changed it is told to the transaction by {@link ai.molecule.registry.versions.PgChangedWith}.
 */
@NullMarked
package ai.molecule.registry.versions;

import org.jspecify.annotations.NullMarked;
