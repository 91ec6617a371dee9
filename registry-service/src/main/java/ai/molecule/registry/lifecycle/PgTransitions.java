package ai.molecule.registry.lifecycle;

import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** The only statement that changes a status: compare and set, version + 1 per step, the events in the same transaction. */
public final class PgTransitions {

    /** What every event about a status says of its workspace, so that the org chart can be rebuilt from the log (decision 26). */
    private static final String PLACE = "jsonb_build_object('name', name, 'role', role, 'parent_id', parent_id)";

    /**
     * Safe under races: rows are locked in id order, so two of these never wait for each other in a circle, and a row whose
     * status or start is no longer the expected one is left alone together with its events.
     */
    private static final String APPLY = """
            WITH wanted AS (
                SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::integer[], $5::integer[])
                    AS w (id, old, new, steps, start)
            ), locked AS MATERIALIZED (
                SELECT id FROM workspaces WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE
            ), changed AS (
                UPDATE workspaces AS workspace
                SET status = wanted.new, status_since = $6, updated_at = $6, version = version + wanted.steps
                FROM wanted JOIN locked USING (id)
                WHERE workspace.id = wanted.id AND workspace.status = wanted.old
                    AND workspace.incarnation = coalesce(wanted.start, workspace.incarnation)
                RETURNING workspace.id, workspace.version, workspace.status, name, role, parent_id
            ), died AS (
                INSERT INTO deaths (workspace_id, at) SELECT id, moment() FROM changed WHERE status = 'offline'
            ), told AS (
                SELECT changed.id, changed.version, changed.status, event.type,
                    %s || jsonb_build_object('status', event.status) || event.payload::jsonb AS payload
                FROM unnest($7::uuid[], $8::text[], $9::text[], $10::text[]) WITH ORDINALITY
                    AS event (id, type, status, payload, nth)
                JOIN changed USING (id)
                ORDER BY event.nth
            )
            SELECT id, version, status, log.append(type, id, payload) FROM told
            """.formatted(PLACE);

    /** Runs under the workspace's row lock. */
    private static final String REPEAT = """
            SELECT log.append($2, id, %s || jsonb_build_object('status', status) || $3::text::jsonb)
            FROM workspaces WHERE id = $1
            """.formatted(PLACE);

    private PgTransitions() {}

    /** Applies what still applies and returns it; the rest changed meanwhile and is the caller's to decide anew. */
    public static Future<List<Changed>> apply(Sql client, List<StatusChange> changes, Instant now) {
        if (changes.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return client.map(
                        APPLY,
                        parameters(changes, now),
                        row -> row.getUUID("id"),
                        row -> toChanged(row.getUUID("id"), row))
                .map(changed -> List.copyOf(changed.values()));
    }

    /** Tells once more where a workspace stands that does not change, within a transaction that holds its row. */
    public static Future<Void> repeat(Sql transaction, UUID workspaceId, RecordedEvent event) {
        return transaction.run(REPEAT, Tuple.of(workspaceId, event.type(), Json.text(event.payload())));
    }

    /** Of a row with {@code version} and {@code status}. */
    public static Changed toChanged(UUID id, Row row) {
        return new Changed(id, row.getLong("version"), WorkspaceStatus.ofWire(row.getString("status")));
    }

    private static Tuple parameters(List<StatusChange> changes, Instant now) {
        var sorted = new ArrayList<>(changes);
        sorted.sort(Comparator.comparing(change -> change.workspaceId().toString()));
        List<UUID> told = new ArrayList<>();
        List<StatusChange.Step> steps = new ArrayList<>();
        for (var change : changes) {
            for (var step : change.steps()) {
                told.add(change.workspaceId());
                steps.add(step);
            }
        }
        return Tuple.of(
                sorted.stream().map(StatusChange::workspaceId).toArray(UUID[]::new),
                sorted.stream().map(change -> change.from().wire()).toArray(String[]::new),
                sorted.stream().map(change -> change.to().wire()).toArray(String[]::new),
                sorted.stream().map(change -> change.steps().size()).toArray(Integer[]::new),
                sorted.stream().map(StatusChange::start).toArray(Integer[]::new),
                PgValues.time(now),
                told.toArray(UUID[]::new),
                steps.stream().map(step -> step.event().type()).toArray(String[]::new),
                steps.stream().map(step -> step.to().wire()).toArray(String[]::new),
                steps.stream().map(step -> Json.text(step.event().payload())).toArray(String[]::new));
    }
}
