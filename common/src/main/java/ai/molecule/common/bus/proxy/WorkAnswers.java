package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What came of these pieces of work, at most 100; those under way are left out. Called by events-service for who asked at a messenger. Reads only. */
public record WorkAnswers(List<UUID> ids) {

    public static final Contract<WorkAnswers, Answers> CONTRACT =
            Contract.reading("proxy.work-answers", WorkAnswers.class, Answers.class);

    /**
     * @param state {@code done}, {@code stopped}, {@code failed}, or {@code gone} where it is kept no more
     * @param answer of the agent that was asked; null where there is none
     */
    public record One(UUID id, String state, @Nullable String answer) {}

    public record Answers(List<One> answers) {}
}
