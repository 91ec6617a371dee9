package ai.molecule.registry.endpoints;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.common.db.Database;
import ai.molecule.common.workspaces.AccessRule;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.lifecycle.PgTransitions;
import ai.molecule.registry.postgres.PgSpend;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.workspaces.Workspace;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Routes and endpoints, in {@code workspaces}. */
public record PgEndpointStore(Database database, Announcements announcements, Clock clock) {

    /** One statement, one snapshot: target and caller belong together. */
    private static final String RESOLVE = """
            SELECT w.name, coalesce(w.endpoint_url, w.url) AS url, w.endpoint_url IS NOT NULL AS provisioned, w.status, w.quarantined,
                   w.runtime, w.incarnation, w.version, w.status = 'provisioning' AND w.waking_incarnation = w.incarnation AS waking, coalesce(w.parent_id, w.tenant_scope) AS circle, caller.id AS caller_id,
                   coalesce(jsonb_path_exists(w.agent_card, '$.supportedInterfaces[*] ? (@.protocolVersion starts with "1.0")')
                       AND NOT jsonb_path_exists(w.agent_card, '$.supportedInterfaces[*] ? (@.protocolVersion starts with "0.")')
                       AND coalesce(w.agent_card ->> 'protocolVersion', '1.0') LIKE '1.%%', false) AS only_10,
                   w.admitted AND coalesce(caller.admitted AND NOT caller.quarantined, true) AS trusted,
                   coalesce(caller.parent_id, caller.tenant_scope) AS caller_circle,
                   w.budget_limit IS NOT NULL AND %s >= w.budget_limit AS budget_exceeded
            FROM workspaces AS w
            LEFT JOIN heartbeats AS h ON h.workspace_id = w.id
            LEFT JOIN workspaces AS caller ON caller.id = $2
            WHERE w.id = $1
            """.formatted(PgSpend.OF_THIS_MONTH);

    /** The condition on the incarnation decides under the row's lock: an endpoint of a replaced start is never kept. */
    private static final String RECORD = """
            UPDATE workspaces
            SET endpoint_url = $3, endpoint_internal_url = $4, version = version + 1, updated_at = $5
            WHERE id = $1 AND incarnation = $2 AND desired = 'running'
            RETURNING version, status
            """;

    /** Rows are locked in id order, so that it never waits in a circle with other statements on many rows. */
    private static final String TOUCH = """
            WITH locked AS MATERIALIZED (
                SELECT id FROM workspaces WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
            )
            UPDATE workspaces SET last_outbound_at = $2 FROM locked WHERE workspaces.id = locked.id
            """;

    private static final int TOUCHED_MAX = 500;

    public Future<Route> resolve(ResolveRoute request) {
        return database.find(RESOLVE, Tuple.of(request.target(), request.caller()), row -> toRoute(request, row))
                .map(found -> found.orElse(unknown(request)));
    }

    /** Serves {@link RecordEndpoint}; told to all when this completes. */
    public Future<RecordEndpoint.Recorded> record(RecordEndpoint request) {
        return database.list(
                        RECORD,
                        Tuple.of(
                                request.workspaceId(),
                                request.incarnation(),
                                request.url(),
                                request.internalUrl(),
                                PgValues.time(clock.instant())),
                        row -> PgTransitions.toChanged(request.workspaceId(), row))
                .onSuccess(announcements::changed)
                .map(changed -> new RecordEndpoint.Recorded(!changed.isEmpty()));
    }

    /** Serves {@link TouchOutbound}; fails with INVALID for more than 500. */
    public Future<TouchOutbound.Touched> touchOutbound(TouchOutbound request) {
        if (request.workspaceIds().size() > TOUCHED_MAX) {
            return Future.failedFuture(ApiError.invalid("at most %d workspaces at once".formatted(TOUCHED_MAX)));
        }
        return database.query(
                        TOUCH, Tuple.of(request.workspaceIds().toArray(UUID[]::new), PgValues.time(clock.instant())))
                .map(done -> new TouchOutbound.Touched(done.rowCount()));
    }

    private static Route unknown(ResolveRoute request) {
        boolean allowed = request.caller() == null || request.caller().equals(request.target());
        return new Route(
                false,
                allowed,
                "",
                null,
                false,
                Delivery.PUSH,
                WorkspaceStatus.REMOVED,
                false,
                false,
                "",
                false,
                0,
                false,
                0);
    }

    private static Route toRoute(ResolveRoute request, Row row) {
        var status = WorkspaceStatus.ofWire(row.getString("status"));
        String stored = row.getString("url");
        boolean external = row.getString("runtime").equals(Workspace.EXTERNAL);
        String url = external ? Delivery.externalAddress(stored, status) : stored;
        return new Route(
                true,
                allows(request, row),
                row.getString("name"),
                url,
                row.getBoolean("provisioned"),
                Delivery.of(url),
                status,
                row.getBoolean("quarantined"),
                row.getBoolean("budget_exceeded"),
                row.getString("runtime"),
                row.getBoolean("only_10"),
                row.getInteger("incarnation"),
                Boolean.TRUE.equals(row.getBoolean("waking")),
                row.getLong("version"));
    }

    private static boolean allows(ResolveRoute request, Row row) {
        @Nullable UUID caller = request.caller();
        if (caller == null || caller.equals(request.target())) {
            return true;
        }
        return row.getUUID("caller_id") != null
                && row.getBoolean("trusted")
                && AccessRule.related(caller, row.getUUID("caller_circle"), request.target(), row.getUUID("circle"));
    }
}
