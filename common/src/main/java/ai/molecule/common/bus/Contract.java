package ai.molecule.common.bus;

import java.time.Duration;

/**
 * A request and its reply on the event bus, answered by exactly one member.
 *
 * @param address where it is served; no other class writes an address
 * @param deadline how long a caller waits; a time-out means the outcome is unknown, so each contract says by what it is idempotent
 * @param reads whether answering it changes nothing: then another member is asked as well when the first takes long, see {@link Bus#call}
 */
public record Contract<Q extends Record, A extends Record>(
        String address, Class<Q> request, Class<A> reply, Duration deadline, boolean reads) {

    /** Long enough for a statement that queues behind others, short enough for a person to wait. */
    public static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(5);

    /** One that may change something. */
    public Contract(String address, Class<Q> request, Class<A> reply, Duration deadline) {
        this(address, request, reply, deadline, false);
    }

    public static <Q extends Record, A extends Record> Contract<Q, A> of(
            String address, Class<Q> request, Class<A> reply) {
        return new Contract<>(address, request, reply, DEFAULT_DEADLINE);
    }

    /** One that reads only. */
    public static <Q extends Record, A extends Record> Contract<Q, A> reading(
            String address, Class<Q> request, Class<A> reply) {
        return new Contract<>(address, request, reply, DEFAULT_DEADLINE, true);
    }
}
