package ai.molecule.sdk;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Which messages to fetch.
 *
 * <pre>{@code
 * client.fetchInbound(InboundQuery.newest(20));                                     // the last 20, oldest first
 * client.fetchInbound(InboundQuery.newest(100).since(last).waiting(Duration.ofSeconds(25))); // what comes next
 * client.fetchInbound(InboundQuery.newest(20).withPeer(peerId));                    // a conversation, newest first
 * }</pre>
 *
 * @param type the activity type, {@code a2a_receive} for messages
 * @param limit rows at most; the platform caps it at 500
 * @param sinceId only what came after this row, oldest first
 * @param peerId only what came from or went to that workspace
 * @param before only what is strictly older
 * @param heldOpen how long the platform may hold the request open while there is nothing, in whole seconds, up to 25; zero: not at all
 */
public record InboundQuery(
        String type,
        int limit,
        Optional<String> sinceId,
        Optional<String> peerId,
        Optional<Instant> before,
        Duration heldOpen) {

    /** What the platform holds a request open at most. */
    public static final Duration WAIT_MAX = Duration.ofSeconds(25);

    /** @throws IllegalArgumentException for a limit below 1, or a time held open below zero or above {@link #WAIT_MAX} */
    public InboundQuery {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1: " + limit);
        }
        if (heldOpen.isNegative() || heldOpen.compareTo(WAIT_MAX) > 0) {
            throw new IllegalArgumentException("what a request is held open must lie between 0 and 25 s: " + heldOpen);
        }
    }

    /** The newest messages. */
    public static InboundQuery newest(int limit) {
        return new InboundQuery(
                "a2a_receive", limit, Optional.empty(), Optional.empty(), Optional.empty(), Duration.ZERO);
    }

    public InboundQuery ofType(String activityType) {
        return new InboundQuery(activityType, limit, sinceId, peerId, before, heldOpen);
    }

    public InboundQuery since(String activityId) {
        return new InboundQuery(type, limit, Optional.of(activityId), peerId, before, heldOpen);
    }

    public InboundQuery withPeer(String workspaceId) {
        return new InboundQuery(type, limit, sinceId, Optional.of(workspaceId), before, heldOpen);
    }

    public InboundQuery before(Instant moment) {
        return new InboundQuery(type, limit, sinceId, peerId, Optional.of(moment), heldOpen);
    }

    public InboundQuery waiting(Duration atMost) {
        return new InboundQuery(type, limit, sinceId, peerId, before, atMost);
    }

    String asQueryString() {
        var query = new StringBuilder("?type=" + PlatformHttp.encoded(type) + "&limit=" + limit);
        sinceId.ifPresent(id -> query.append("&since_id=").append(PlatformHttp.encoded(id)));
        peerId.ifPresent(id -> query.append("&peer_id=").append(PlatformHttp.encoded(id)));
        before.ifPresent(moment -> query.append("&before_ts=").append(PlatformHttp.encoded(moment.toString())));
        if (heldOpen.toSeconds() > 0) {
            query.append("&wait=").append(heldOpen.toSeconds());
        }
        return query.toString();
    }
}
