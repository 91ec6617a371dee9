package ai.molecule.proxy.streams;

import ai.molecule.proxy.protocol.MessageEnvelope;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.Sighting;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the journal knows about a stream besides its events.
 *
 * @param id also the id of the activity row about the call, so that the row is written once whoever ends the stream
 * @param task what was last seen of its task; null before anything was
 * @param canceled the status a cancel was answered with; null without one
 * @param starts the first position of each epoch
 * @param firstN the first position that is kept
 * @param lastN the last that is written, 0 for none
 */
public record StreamHead(
        UUID id,
        UUID owner,
        Origin origin,
        @Nullable Sighting task,
        @Nullable String canceled,
        List<Integer> starts,
        int firstN,
        int lastN,
        boolean ended) {

    /**
     * The call that the stream answers.
     *
     * @param callerId null for the canvas
     * @param rpcId the request's JSON-RPC id as JSON text
     * @param request the message as it was sent to the agent; empty where it is read back from the journal when it is needed
     * @param messageId of the message; null when it has none, or when it stands in {@code request} alone
     * @param durationMs until the agent's headers
     */
    public record Origin(
            UUID workspaceId,
            @Nullable UUID callerId,
            Protocol protocol,
            String method,
            String rpcId,
            byte[] request,
            @Nullable String messageId,
            int durationMs) {

        public Origin(
                UUID workspaceId,
                @Nullable UUID callerId,
                Protocol protocol,
                String method,
                String rpcId,
                byte[] request,
                int durationMs) {
            this(workspaceId, callerId, protocol, method, rpcId, request, null, durationMs);
        }

        /** Of a message that may be a mebibyte nothing but its id. */
        Origin withoutRequest() {
            return new Origin(
                    workspaceId,
                    callerId,
                    protocol,
                    method,
                    rpcId,
                    new byte[0],
                    MessageEnvelope.idIn(request),
                    durationMs);
        }
    }

    /** For as long as it is open, which may be half an hour. */
    StreamHead withoutRequest() {
        return new StreamHead(id, owner, origin.withoutRequest(), task, canceled, starts, firstN, lastN, ended);
    }

    static StreamHead begun(UUID id, UUID owner, Origin origin) {
        return new StreamHead(id, owner, origin, null, null, List.of(1), 1, 0, false);
    }

    Cursor at(int n) {
        int epoch = 1;
        while (epoch < starts.size() && starts.get(epoch) <= n) {
            epoch++;
        }
        return new Cursor(id, epoch, n);
    }

    /** The last position that was ever given in an epoch; for the present one it is {@code newest}. */
    int endOf(int epoch, int newest) {
        return epoch < starts.size() ? starts.get(epoch) - 1 : newest;
    }

    /** Whether its task has ended. */
    public boolean isFinal() {
        return task != null && task.state() != null && task.state().isFinal();
    }

    /** Whether more events may come. */
    public boolean goesOn() {
        return !ended;
    }

    /** Empty while its task has no name. */
    public String taskId() {
        return task == null ? "" : task.taskId();
    }

    /** Its task as last seen; empty while nothing was. */
    public Optional<String> taskJson() {
        return task == null || task.status() == null
                ? Optional.empty()
                : Optional.of(origin.protocol().task(task));
    }

    /** Whether what it knows of the task may be told to that caller: the one that began it, the agent itself, the canvas. */
    public boolean mayBeReadBy(@Nullable UUID callerId) {
        return callerId == null || callerId.equals(origin.callerId) || callerId.equals(origin.workspaceId);
    }
}
