package ai.molecule.common.workspaces;

import org.jspecify.annotations.Nullable;

/** How messages reach a workspace's agent: dialled at its URL, or fetched by the agent itself (decision 5). */
public enum Delivery {
    PUSH,
    POLL;

    /** The SDK's placeholder for an agent that cannot be dialled. */
    public static final String NO_INBOUND = "remote://no-inbound";

    public static Delivery of(@Nullable String url) {
        return url != null && url.startsWith("remote://") ? POLL : PUSH;
    }

    /**
     * Where an external agent is: one that was heard and never named a URL can only fetch its messages. An SDK that was given
     * its token sends heartbeats and asks for messages, and does not register.
     *
     * @param url as stored, empty when there is none
     */
    public static String externalAddress(String url, WorkspaceStatus status) {
        boolean heard = status.live() || status == WorkspaceStatus.OFFLINE;
        return url.isEmpty() && heard ? NO_INBOUND : url;
    }
}
