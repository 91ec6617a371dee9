package ai.molecule.proxy.a2a;

import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * How a {@link Forward} goes about what senders differ in.
 *
 * @param beforeSending asked when the connection stands and nothing was sent; when it fails nothing will be
 * @param remembered whether the sender has the message and asks for its end by itself when the call is let go
 * @param busy what the sender gets when the agent itself says that it has no capacity (429, 503)
 */
record Manner(Supplier<Future<Void>> beforeSending, boolean remembered, Busy busy) {

    /** What becomes of a message that an agent was too busy for, and what is written down about it. */
    interface Busy {
        Future<A2aAnswer> decide(AgentAnswer.Whole answer);
    }
}
