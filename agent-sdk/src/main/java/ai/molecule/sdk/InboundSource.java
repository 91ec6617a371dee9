package ai.molecule.sdk;

/**
 * Who wrote a message: a person on the canvas, another agent, or the row does not say. Only the first two can be replied to.
 *
 * <pre>{@code
 * if (message.source() == InboundSource.CANVAS_USER) { … }
 * }</pre>
 */
public enum InboundSource {
    CANVAS_USER,
    PEER_AGENT,
    UNKNOWN
}
