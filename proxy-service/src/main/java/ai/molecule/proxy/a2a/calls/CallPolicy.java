package ai.molecule.proxy.a2a.calls;

import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * How a {@link ForwardedMessage} goes about what senders differ in.
 *
 * @param beforeSending asked when the connection stands and nothing was sent; when it fails nothing will be
 * @param remembered whether the sender has the message and asks for its end by itself when the call is let go
 * @param rejoins whether the sender goes after the answer of a call that the agent's end cut off, and notes the end of its task itself
 * @param busy what the sender gets when the agent itself says that it has no capacity (429, 503)
 */
public record CallPolicy(Supplier<Future<Void>> beforeSending, boolean remembered, boolean rejoins, Busy busy) {

    /** What becomes of a message that an agent was too busy for, and what is written down about it. */
    public interface Busy {
        Future<A2aAnswer> decide(AgentAnswer.Whole answer);
    }
}
