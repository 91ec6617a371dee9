package ai.molecule.registry.workspaces;

import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.postgres.PgSpend;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.workspaces.Workspace.Health;
import ai.molecule.registry.workspaces.Workspace.Place;
import io.vertx.sqlclient.Row;
import java.util.Locale;
import java.util.Objects;

/** The reads of {@link PgWorkspaceStore} and how their rows become values. Each is one statement and so one snapshot. */
final class PgWorkspaceRows {

    private static final String SELECT = """
            SELECT w.id, w.name, w.role, w.tier, w.status, w.agent_card::text AS agent_card,
                   coalesce(w.endpoint_url, w.url) AS url, w.parent_id, w.max_concurrent_tasks, w.runtime,
                   w.workspace_dir, w.budget_limit, w.last_outbound_at, w.admitted, w.quarantined, w.public_card, w.own_login, w.tenant,
                   coalesce(l.x, 0) AS x, coalesce(l.y, 0) AS y, coalesce(l.collapsed, false) AS collapsed,
                   coalesce(h.error_rate, 0) AS error_rate, coalesce(h.sample_error, '') AS sample_error,
                   coalesce(h.active_tasks, 0) AS active_tasks, coalesce(h.current_task, '') AS current_task,
                   coalesce(h.uptime_seconds, 0) AS uptime_seconds, %s AS monthly_spend
            FROM workspaces AS w
            LEFT JOIN heartbeats AS h ON h.workspace_id = w.id
            LEFT JOIN canvas_layouts AS l ON l.workspace_id = w.id
            """.formatted(PgSpend.OF_THIS_MONTH);

    static final String FIND = SELECT + "WHERE w.id = $1";

    static final String FIND_ALL = SELECT + "WHERE w.id = ANY ($1)";

    static final String LIST = SELECT + "WHERE w.status <> 'removed' ORDER BY w.created_at, w.id";

    static final String UNMETERED =
            "SELECT id FROM workspaces WHERE own_login AND status <> 'removed' ORDER BY created_at, id LIMIT 1000";

    static final String LIST_MANAGED = """
            SELECT w.*, h.last_heartbeat_at,
                CASE WHEN EXISTS (SELECT 1 FROM workspaces WHERE tenant IS NOT NULL) THEN tenant_of(w.id) END AS root_tenant
            FROM workspaces AS w LEFT JOIN heartbeats AS h ON h.workspace_id = w.id
            WHERE w.managed
              AND ($1::uuid IS NULL OR w.id = $1) AND ($2::uuid IS NULL OR w.id > $2)
              AND (w.status <> 'removed' OR w.status_since > $4)
            ORDER BY w.id
            LIMIT $3
            """;

    static final String DIRECTORY = """
            SELECT id, parent_id, name, role, status, admitted, coalesce(parent_id, tenant_scope) AS circle FROM workspaces
            WHERE status <> 'removed' OR status_since > $1 ORDER BY id
            """;

    /** By distance, so that a parent comes first; {@code UNION} ends a circle, which cannot be. */
    static final String BRANCH = """
            WITH RECURSIVE branch AS (
                SELECT id, 0 AS distance FROM workspaces WHERE id = $1 AND status <> 'removed'
                UNION
                SELECT child.id, distance + 1
                FROM workspaces AS child JOIN branch ON child.parent_id = branch.id
                WHERE child.status <> 'removed' AND distance < 1000
            )
            SELECT w.id, parent_id, name, role, tier, runtime, model, managed, url, max_concurrent_tasks,
                   hibernation_idle_minutes, agent_card::text AS agent_card
            FROM branch JOIN workspaces AS w USING (id)
            ORDER BY distance, created_at, w.id
            LIMIT $2
            """;

    private PgWorkspaceRows() {}

    static DescribeBranch.Member toBranchMember(Row row) {
        boolean external = !row.getBoolean("managed");
        String card = row.getString("agent_card");
        return new DescribeBranch.Member(
                row.getUUID("id"),
                row.getUUID("parent_id"),
                row.getString("name"),
                row.getString("role"),
                row.getInteger("tier"),
                row.getString("runtime"),
                row.getString("model"),
                external,
                external ? row.getString("url") : "",
                row.getInteger("max_concurrent_tasks"),
                row.getInteger("hibernation_idle_minutes"),
                card == null ? null : Json.stored(card));
    }

    static Workspace toWorkspace(Row row) {
        return new Workspace(
                row.getUUID("id"),
                row.getString("name"),
                row.getString("role"),
                row.getInteger("tier"),
                WorkspaceStatus.ofWire(row.getString("status")),
                row.getString("agent_card"),
                row.getString("url"),
                row.getUUID("parent_id"),
                row.getInteger("max_concurrent_tasks"),
                row.getString("runtime"),
                row.getString("workspace_dir"),
                row.getLong("budget_limit"),
                PgValues.instant(row, "last_outbound_at"),
                row.getBoolean("admitted"),
                row.getBoolean("quarantined"),
                row.getBoolean("public_card"),
                row.getBoolean("own_login"),
                row.getString("tenant"),
                new Place(row.getDouble("x"), row.getDouble("y"), row.getBoolean("collapsed")),
                new Health(
                        row.getDouble("error_rate"),
                        row.getString("sample_error"),
                        row.getInteger("active_tasks"),
                        row.getString("current_task"),
                        row.getInteger("uptime_seconds"),
                        row.getLong("monthly_spend")));
    }

    static ManagedWorkspace toManaged(Row row) {
        var status = WorkspaceStatus.ofWire(row.getString("status"));
        return new ManagedWorkspace(
                row.getUUID("id"),
                row.getString("name"),
                row.getString("role"),
                row.getInteger("tier"),
                row.getString("runtime"),
                row.getString("model"),
                row.getString("template"),
                row.getUUID("parent_id"),
                row.getString("workspace_dir"),
                row.getString("workspace_access"),
                status,
                Desired.valueOf(row.getString("desired").toUpperCase(Locale.ROOT)),
                row.getBoolean("quarantined"),
                row.getInteger("incarnation"),
                status == WorkspaceStatus.PROVISIONING
                        && Objects.equals(row.getInteger("waking_incarnation"), row.getInteger("incarnation")),
                status == WorkspaceStatus.PROVISIONING ? PgValues.instant(row, "status_since") : null,
                PgValues.instant(row, "last_heartbeat_at"),
                row.getLong("version"),
                row.getString("root_tenant"),
                row.getUUID("tenant_scope"),
                row.getString("config_runtime"));
    }

    static Directory.Entry toEntry(Row row) {
        return new Directory.Entry(
                row.getUUID("id"),
                row.getUUID("parent_id"),
                row.getString("name"),
                row.getString("role"),
                WorkspaceStatus.ofWire(row.getString("status")),
                row.getBoolean("admitted"),
                row.getUUID("circle"));
    }
}
