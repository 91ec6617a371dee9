package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;

/** Asks of each person whether it is there, not disabled, and may act as an operator at that workspace now; at most 500. Reads only. */
public record MayAct(List<Asked> asked) {

    public static final Contract<MayAct, Answers> CONTRACT =
            Contract.reading("registry.may-act", MayAct.class, Answers.class);

    public record Asked(UUID person, UUID workspace) {}

    /** @param may one for each that was asked about, in their order */
    public record Answers(List<Boolean> may) {}
}
