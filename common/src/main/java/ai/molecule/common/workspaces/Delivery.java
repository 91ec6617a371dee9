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
}
