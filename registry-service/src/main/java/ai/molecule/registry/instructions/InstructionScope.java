package ai.molecule.registry.instructions;

import java.util.Optional;
import java.util.stream.Stream;

/** Whom a house rule is for, from the widest on: the order in which an agent reads them. */
enum InstructionScope {
    GLOBAL("global", "## Platform-Wide Rules"),
    /** A workspace and all below it. */
    TEAM("team", "## Team Rules"),
    WORKSPACE("workspace", "## Role-Specific Rules");

    private final String wire;
    private final String heading;

    InstructionScope(String wire, String heading) {
        this.wire = wire;
        this.heading = heading;
    }

    static Optional<InstructionScope> find(String wire) {
        return Stream.of(values()).filter(scope -> scope.wire.equals(wire)).findFirst();
    }

    String wire() {
        return wire;
    }

    String heading() {
        return heading;
    }
}
