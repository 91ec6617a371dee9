package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.proxy.models.RequestContents.Thinking;
import java.util.Map;

/**
 * How much money a call needs before it leaves, in tokens, as its provider reads the request: each of several answers, thoughts that nobody
 * sees before they are billed, images that stand elsewhere.
 *
 * @param input tokens that are read
 * @param output tokens that are written, of all answers together: of a stream that can be stopped a slice, else all
 * @param least tokens of output below which the call is of no use
 * @param answers how many are asked for
 * @param bounded whether the provider is to be told how much is paid for, because nothing stops it on its way
 */
record ModelDemand(long input, long output, long least, int answers, boolean bounded) {

    /** No provider writes more in one answer. */
    static final long ANSWER_MAX = 1_000_000;

    static final int IMAGE_TOKENS = 1_600;

    /** By which a program knows that it is the request, and not its money, that does not fit a budget. */
    private static final Map<String, Object> UNBOUNDED_COST = Map.of("code", "unbounded_cost");

    /** What a call needs at a price. */
    @FunctionalInterface
    interface Question {

        /** @param strict whether a limit that somebody chose applies: may fail then with what is to be told the caller */
        ModelDemand at(ModelPrice price, boolean strict);
    }

    /**
     * Of a request under a budget. Fails with INVALID where it costs what nobody can tell before, and the budget is {@code strict}; else that
     * much of it is needed which can be told, and it goes to its provider as it is.
     *
     * @param input tokens as they are estimated for every call
     */
    static ModelDemand of(ModelRequest request, long input, ModelPrice price, ModelLimits limits, boolean strict) {
        var contents = RequestContents.of(request.operation().protocol(), request.body());
        String unbounded = contents.unbounded() == null ? request.uncounted() : contents.unbounded();
        if (unbounded != null && strict) {
            throw unbounded(unbounded);
        }
        long read = input + (long) contents.referredImages() * IMAGE_TOKENS;
        if (request.operation() == ModelOperation.EMBEDDINGS) {
            return new ModelDemand(read, 0, 0, 1, false);
        }
        boolean unseen =
                contents.thinking() == Thinking.ON || (contents.thinking() == Thinking.UNSAID && price.reasoning());
        boolean whole = unseen || !request.streams();
        Long budget = contents.thinkingTokens();
        long thoughts = budget == null ? 0 : Math.min(budget, ANSWER_MAX) + limits.slice();
        Long stated = request.outputWanted();
        long each = stated != null
                ? Math.min(stated, whole ? ANSWER_MAX : limits.slice())
                : !whole ? limits.slice() : Math.max(thoughts, unstated(request, unseen, strict, limits));
        int answers = request.answers();
        long output = each * answers;
        long least = Math.max(limits.slice(), Math.max(answers, thoughts * answers));
        return new ModelDemand(read, output, Math.min(output, least), answers, whole && unbounded == null);
    }

    /** Under a limit that nobody chose, thoughts are not to use up what an answer has. */
    private static int unstated(ModelRequest request, boolean unseen, boolean strict, ModelLimits limits) {
        return request.streams() || (unseen && !strict) ? limits.thinkingOutput() : limits.unstreamedOutput();
    }

    static ApiError unbounded(String why) {
        return new ApiError(ApiError.Kind.INVALID, why + " (a budget or limit applies to this call)", UNBOUNDED_COST);
    }

    /** Tokens of each answer that the provider is told, of those that are paid for. */
    long toldOf(long paid) {
        return Math.max(1, paid / answers);
    }
}
