package ai.molecule.proxy.models;

import static java.util.Objects.requireNonNull;

import ai.molecule.proxy.models.translation.AnswerTranslation;
import ai.molecule.proxy.models.translation.HeldAnswers;

/**
 * How an answer that is translated goes back.
 *
 * @param came what the caller asked with
 * @param tellsUsage whether it wants the usage of a stream
 * @param held what is kept of all answers meanwhile
 */
record AnswerForm(ModelOperation came, boolean tellsUsage, HeldAnswers held) {

    /** Where the provider tells no usage, the caller sees what is estimated. */
    AnswerTranslation translation(PlannedCall planned, UsageReader reader) {
        return new AnswerTranslation(
                requireNonNull(planned.operation().spoken()),
                requireNonNull(came.spoken()),
                planned.streams(),
                tellsUsage,
                () -> reader.usage(planned.input()),
                planned.startedAt().getEpochSecond(),
                held);
    }
}
