package ai.molecule.registry.memories;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who may read a memory besides its author: nobody, its siblings and parent or children, everybody. */
public enum MemoryScope {
    LOCAL,
    TEAM,
    GLOBAL;

    /** Upper case only. */
    static Optional<MemoryScope> find(@Nullable String wire) {
        return Arrays.stream(values())
                .filter(scope -> scope.name().equals(wire))
                .findFirst();
    }
}
