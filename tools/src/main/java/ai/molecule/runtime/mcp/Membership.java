package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.Inbox;
import ai.molecule.runtime.tools.InboxFeed;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformClient;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Workspaces that live through this process: registered, heard from every few seconds, their messages fetched into one inbox. */
public final class Membership implements AutoCloseable {

    /** A registered address that says: do not call me, I fetch. */
    private static final String NO_INBOUND = "remote://no-inbound";

    private final Inbox inbox = new Inbox();
    private final List<Thread> feeds = new ArrayList<>();

    private Membership() {}

    /**
     * Registers each of them, then begins to fetch.
     *
     * @param agentName on the card; empty for a name made of the id
     * @throws PlatformException when the platform does not take one; then nothing is fetched
     */
    public static Membership join(List<ClientConfig> workspaces, String agentName) {
        for (ClientConfig workspace : workspaces) {
            new PlatformClient(workspace).register(NO_INBOUND, card(workspace.workspaceId(), agentName));
        }
        var membership = new Membership();
        for (ClientConfig workspace : workspaces) {
            var feed = new InboxFeed(new WorkspaceClient(workspace), new PlatformClient(workspace), membership.inbox);
            membership.feeds.add(Thread.ofVirtual().start(feed));
        }
        return membership;
    }

    public Inbox inbox() {
        return inbox;
    }

    /** Stops fetching, without waiting for what is under way. */
    @Override
    public void close() {
        feeds.forEach(Thread::interrupt);
    }

    private static ObjectNode card(String id, String agentName) {
        String name = agentName.isBlank() ? "molecule-mcp-" + id.substring(0, Math.min(8, id.length())) : agentName;
        ObjectNode card = JsonNodeFactory.instance.objectNode().put("name", name);
        card.putArray("skills");
        return card;
    }
}
