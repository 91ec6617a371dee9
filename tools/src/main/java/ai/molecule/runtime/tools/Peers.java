package ai.molecule.runtime.tools;

import ai.molecule.sdk.IdempotencyKeys;
import ai.molecule.sdk.Peer;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Who is there. */
final class Peers {

    /** Workspaces that one broadcast reaches at most. */
    static final int BROADCAST_MAX = 100;

    private Peers() {}

    static String list(Toolbox toolbox, Arguments arguments) {
        Workspaces workspaces = toolbox.workspaces();
        List<WorkspaceClient> sources = workspaces
                .named(arguments.text("source_workspace_id"))
                .map(List::of)
                .orElseGet(workspaces::all);
        List<String> lines = new ArrayList<>();
        List<String> diagnostics = new ArrayList<>();
        for (WorkspaceClient source : sources) {
            String tag = sources.size() > 1 ? ", via: " + brief(source) : "";
            try {
                for (Peer peer : source.peers()) {
                    workspaces.learn(source, peer);
                    lines.add("- %s (ID: %s, status: %s, role: %s%s)"
                            .formatted(peer.name(), peer.id(), peer.status(), peer.role(), tag));
                }
            } catch (PlatformException e) {
                diagnostics.add((workspaces.several() ? "[" + brief(source) + "] " : "") + diagnosis(e));
            }
        }
        if (!lines.isEmpty()) {
            return String.join("\n", lines);
        }
        return diagnostics.isEmpty()
                ? "No peers available (this workspace may be isolated)"
                : "No peers found. " + String.join("; ", diagnostics);
    }

    static String self(Toolbox toolbox, Arguments arguments) {
        WorkspaceClient source = toolbox.workspaces().source(arguments.text("source_workspace_id"));
        try {
            return Json.pretty(source.describe());
        } catch (PlatformException e) {
            ObjectNode answer = Json.object();
            switch (e.status()) {
                case 0 -> answer.put("error", e.error());
                case 410 ->
                    answer.put("error", "removed").put("id", source.id()).put("hint", "The workspace was deleted.");
                default -> answer.put("error", "not found");
            }
            return Json.pretty(answer);
        }
    }

    /** As delegations, which the platform delivers whether a peer is free or not. */
    static String broadcast(Toolbox toolbox, Arguments arguments) {
        String message = arguments.text("message");
        if (message.isEmpty()) {
            throw new ToolRefusal("message is required");
        }
        WorkspaceClient source = toolbox.workspaces().source(arguments.text("workspace_id"));
        List<Peer> peers = source.peers();
        ObjectNode answer = Json.object();
        var sent = answer.putArray("sent");
        var failed = answer.putArray("failed");
        String once = message + "\n" + Instant.now();
        for (Peer peer : peers.subList(0, Math.min(peers.size(), BROADCAST_MAX))) {
            try {
                source.delegate(peer.id(), message, IdempotencyKeys.forDelegation(source.id(), peer.id(), once));
                sent.add(peer.id());
            } catch (PlatformException e) {
                failed.addObject().put("id", peer.id()).put("error", e.error());
            }
        }
        return answer.put("left_out", Math.max(0, peers.size() - BROADCAST_MAX)).toString();
    }

    private static String brief(WorkspaceClient workspace) {
        return Excerpt.of(workspace.id(), 8);
    }

    private static String diagnosis(PlatformException e) {
        return switch (e.status()) {
            case 0 -> e.error();
            case 401, 403 ->
                "authentication failed: the platform does not accept this workspace's token (" + e.status() + ")";
            case 404 -> "this workspace is not registered on the platform (404)";
            default -> "platform error " + e.status() + ": " + e.error();
        };
    }
}
