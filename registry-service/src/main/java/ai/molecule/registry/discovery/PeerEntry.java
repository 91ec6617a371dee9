package ai.molecule.registry.discovery;

import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.CardAddresses;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A workspace in its peers' lists, ready to be sent.
 *
 * @param json its object in the array; not to be changed
 * @param withoutCard the same with null for its card; not to be changed
 */
record PeerEntry(String name, @Nullable String role, int activeTasks, byte[] json, byte[] withoutCard) {

    static PeerEntry of(Peer peer, FrontDoorAddress frontDoor) {
        var whole = peer.toJson();
        if (frontDoor.only()) {
            String address = frontDoor.url() == null ? "" : frontDoor.addressOf(peer.id(), frontDoor.url());
            whole.put("url", address).set("agent_card", CardAddresses.at(whole.path("agent_card"), address));
        }
        byte[] json = Json.bytes(whole);
        byte[] withoutCard = peer.agentCard() == null ? json : Json.bytes(whole.putNull("agent_card"));
        return new PeerEntry(peer.name(), peer.role(), peer.activeTasks(), json, withoutCard);
    }

    /** Whether name or role contains the text, in any case. */
    boolean matches(String text) {
        String sought = text.toLowerCase(Locale.ROOT);
        return name.toLowerCase(Locale.ROOT).contains(sought)
                || (role != null && role.toLowerCase(Locale.ROOT).contains(sought));
    }
}
