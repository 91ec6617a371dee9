package ai.molecule.sdk;

/**
 * Heartbeats that go out until this is closed; see {@link RemoteAgentClient#startHeartbeat}.
 *
 * <pre>{@code
 * try (HeartbeatThread alive = client.startHeartbeat(() -> CurrentTask.NONE)) { … }
 * }</pre>
 */
public interface HeartbeatThread extends AutoCloseable {

    /** Ends the thread; waits up to 2 s for it. */
    @Override
    void close();
}
