package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;
import java.util.List;
import java.util.UUID;

/** The proxy's journal has more of these streams: readers of them on other replicas look again. Once per group commit. */
public record StreamsAdvanced(List<UUID> streamIds) {

    public static final Hint<StreamsAdvanced> HINT = new Hint<>("hint.streams-advanced", StreamsAdvanced.class);
}
