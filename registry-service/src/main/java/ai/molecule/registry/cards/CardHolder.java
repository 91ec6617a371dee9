package ai.molecule.registry.cards;

import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace as its card needs it.
 *
 * @param card JSON text of what its agent registered
 * @param shownToAnybody whether an operator made the card public, and nothing took the workspace out since
 * @param borrowsName whether the card's name is that of another one near it to a reader
 */
record CardHolder(
        UUID id,
        String name,
        @Nullable String role,
        WorkspaceStatus status,
        @Nullable String card,
        boolean shownToAnybody,
        boolean borrowsName) {}
