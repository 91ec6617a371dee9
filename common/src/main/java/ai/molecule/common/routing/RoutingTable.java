package ai.molecule.common.routing;

import static ai.molecule.common.routing.Owner.EVENTS;
import static ai.molecule.common.routing.Owner.PROVISIONER;
import static ai.molecule.common.routing.Owner.PROXY;
import static ai.molecule.common.routing.Owner.REGISTRY;

import java.util.List;
import java.util.Optional;

/**
 * Which service owns which path. Patterns are those of {@link PathTree}.
 */
public final class RoutingTable {

    /** One row: a pattern and its owner. */
    public record Row(String pattern, Owner owner) {}

    public static final List<Row> ROWS = List.of(
            new Row("/workspaces/:id/a2a/*", PROXY),
            new Row("/workspaces/:id/mcp", PROXY),
            new Row("/workspaces/:id/delegate", PROXY),
            new Row("/workspaces/:id/delegations/*", PROXY),
            new Row("/workspaces/:id/tasks", PROXY),
            new Row("/workspaces/:id/transcript", PROXY),
            new Row("/workspaces/:id/preview", PROXY),
            new Row("/workspaces/:id/metrics", PROXY),
            new Row("/workspaces/:id/model-aliases/*", PROXY),
            new Row("/workspaces/:id/models", PROXY),
            new Row("/workspaces/:id/schedules/*", PROXY),
            new Row("/admin/schedules/health", PROXY),
            new Row("/work/*", PROXY),
            new Row("/webhooks/*", PROXY),
            new Row("/admin/a2a-queue/*", PROXY),
            new Row("/admin/liveness", PROXY),
            new Row("/models/*", PROXY),
            new Row("/model-providers", PROXY),
            new Row("/usage", PROXY),
            new Row("/settings/spending", PROXY),
            new Row("/settings/prices", PROXY),
            new Row("/v1/traces", PROXY),
            new Row("/health", PROXY),
            new Row("/ready", PROXY),
            new Row("/metrics", PROXY),
            new Row("/", EVENTS),
            new Row("/ui/*", EVENTS),
            new Row("/ws", EVENTS),
            new Row("/ws/ticket", EVENTS),
            new Row("/events/*", EVENTS),
            new Row("/workspaces/:id/events/stream", EVENTS),
            new Row("/workspaces/:id/activity", EVENTS),
            new Row("/workspaces/:id/notify", EVENTS),
            new Row("/workspaces/:id/session-search", EVENTS),
            new Row("/org", EVENTS),
            new Row("/audit", EVENTS),
            new Row("/workspaces/:id/audit", EVENTS),
            new Row("/inbox/*", EVENTS),
            new Row("/notifications/targets/*", EVENTS),
            new Row("/notifications/telegram", EVENTS),
            new Row("/workspaces/:id/restart", PROVISIONER),
            new Row("/workspaces/:id/pause", PROVISIONER),
            new Row("/workspaces/:id/resume", PROVISIONER),
            new Row("/workspaces/:id/hibernate", PROVISIONER),
            new Row("/workspaces/:id/wake", PROVISIONER),
            new Row("/workspaces/:id/expand", PROVISIONER),
            new Row("/workspaces/:id/collapse", PROVISIONER),
            new Row("/workspaces/:id/files/*", PROVISIONER),
            new Row("/workspaces/:id/shared-context", PROVISIONER),
            new Row("/workspaces/:id/console", PROVISIONER),
            new Row("/workspaces/:id/plugins/*", PROVISIONER),
            new Row("/workspaces/:id/chat/uploads", PROVISIONER),
            new Row("/workspaces/:id/chat/download", PROVISIONER),
            new Row("/templates/*", PROVISIONER),
            new Row("/org/templates", PROVISIONER),
            new Row("/org/import", PROVISIONER),
            new Row("/plugins/*", PROVISIONER),
            new Row("/bundles/*", PROVISIONER),
            new Row("/workspaces", REGISTRY),
            new Row("/workspaces/:id", REGISTRY),
            new Row("/workspaces/:id/state", REGISTRY),
            new Row("/workspaces/:id/.well-known/*", REGISTRY),
            new Row("/.well-known/agent-card.json", REGISTRY),
            new Row("/.well-known/agents", REGISTRY),
            new Row("/.well-known/jwks.json", REGISTRY),
            new Row("/workspaces/:id/admit", REGISTRY),
            new Row("/workspaces/:id/move", REGISTRY),
            new Row("/workspaces/:id/tenant", REGISTRY),
            new Row("/workspaces/:id/quarantine", REGISTRY),
            new Row("/invitations/*", REGISTRY),
            new Row("/workspaces/:id/tokens/*", REGISTRY),
            new Row("/workspaces/:id/secrets/*", REGISTRY),
            new Row("/workspaces/:id/model", REGISTRY),
            new Row("/workspaces/:id/memories/*", REGISTRY),
            new Row("/workspaces/:id/memory/*", REGISTRY),
            new Row("/workspaces/:id/config", REGISTRY),
            new Row("/workspaces/:id/versions/*", REGISTRY),
            new Row("/workspaces/:id/approvals/*", REGISTRY),
            new Row("/workspaces/:id/budget", REGISTRY),
            new Row("/workspaces/:id/hibernation", REGISTRY),
            new Row("/workspaces/:id/instructions/resolve", REGISTRY),
            new Row("/instructions/*", REGISTRY),
            new Row("/policy/*", REGISTRY),
            new Row("/tenants/*", REGISTRY),
            new Row("/workspaces/:id/policy/*", REGISTRY),
            new Row("/workspaces/:id/channels", REGISTRY),
            new Row("/workspaces/:id/traces", REGISTRY),
            new Row("/session", REGISTRY),
            new Row("/sessions/*", REGISTRY),
            new Row("/people/*", REGISTRY),
            new Row("/sign-in/*", REGISTRY),
            new Row("/device/*", REGISTRY),
            new Row("/registry/*", REGISTRY),
            new Row("/explain", REGISTRY),
            new Row("/token", REGISTRY),
            new Row("/passports/revocations", REGISTRY),
            new Row("/settings/secrets/*", REGISTRY),
            new Row("/admin/secrets/*", REGISTRY),
            new Row("/admin/keys/rotate", REGISTRY),
            new Row("/admin/workspaces/:id/test-token", REGISTRY),
            new Row("/org/tokens/*", REGISTRY),
            new Row("/approvals/pending", REGISTRY),
            new Row("/approvals/export", REGISTRY),
            new Row("/approvals/rules/*", REGISTRY),
            new Row("/canvas/viewport", REGISTRY));

    private static final PathTree<Row> TREE = new PathTree<>();

    static {
        ROWS.forEach(row -> TREE.put(row.pattern(), row));
    }

    private RoutingTable() {}

    public static Optional<Owner> ownerOf(String path) {
        return rowOf(path).map(Row::owner);
    }

    /** The row of a request path without its query; empty for a path nobody owns. A trailing slash is ignored. */
    public static Optional<Row> rowOf(String path) {
        var match = TREE.find(path);
        return match == null ? Optional.empty() : Optional.of(match.value());
    }
}
