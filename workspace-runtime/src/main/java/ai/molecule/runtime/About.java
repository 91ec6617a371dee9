package ai.molecule.runtime;

import java.nio.file.Path;
import java.util.Optional;

/** What an agent's card says of it, which may change while it runs. */
record About(String name, String description, String version) {

    static About of(WorkspaceConfig workspace) {
        return new About(workspace.name(), workspace.description(), workspace.version());
    }

    /** As {@code config.yaml} says now; empty while it cannot be read. */
    static Optional<About> read(Path folder) {
        try {
            return Optional.of(of(WorkspaceConfig.read(folder)));
        } catch (PreflightFailure unusable) {
            return Optional.empty();
        }
    }
}
