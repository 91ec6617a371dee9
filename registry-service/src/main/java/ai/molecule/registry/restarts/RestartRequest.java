package ai.molecule.registry.restarts;

import java.util.UUID;

/**
 * A restart that is due.
 *
 * @param incarnation the start to be replaced; a newer one knows what it should
 * @param fanOut whether it is one of many that a global secret calls for
 */
record RestartRequest(UUID workspaceId, int incarnation, boolean fanOut) {}
