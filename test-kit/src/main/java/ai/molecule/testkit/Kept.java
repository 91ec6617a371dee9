package ai.molecule.testkit;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Keeps clients that a test makes and refers to no longer: Vert.x closes a client that the garbage collector finds, with the requests, streams
 * and sockets that go on there ("Connection closed"). The newest 100 are kept, so that what ended tests made is let go.
 */
public final class Kept {

    private static final int KEPT_MAX = 100;
    private static final Queue<Object> CLIENTS = new ArrayDeque<>();

    private Kept() {}

    /** The same client. */
    public static synchronized <T> T kept(T client) {
        CLIENTS.add(client);
        if (CLIENTS.size() > KEPT_MAX) {
            CLIENTS.remove();
        }
        return client;
    }
}
