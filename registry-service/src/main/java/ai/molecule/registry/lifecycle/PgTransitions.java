package ai.molecule.registry.lifecycle;

import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The only statement that changes a status: compare and set, version + 1 per step, the events in the same transaction. */
public final class PgTransitions {

    /**
     * Safe under races: rows are locked in id order, so two of these never wait for each other in a circle, and a row whose
     * status is no longer the expected one is left alone together with its events.
     */
    private static final String APPLY = """
            WITH wanted AS (
                SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::integer[]) AS w (id, old, new, steps)
            ), locked AS MATERIALIZED (
                SELECT id FROM workspaces WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE
            ), changed AS (
                UPDATE workspaces AS workspace
                SET status = wanted.new, status_since = $5, updated_at = $5, version = version + wanted.steps
                FROM wanted JOIN locked USING (id)
                WHERE workspace.id = wanted.id AND workspace.status = wanted.old
                RETURNING workspace.id, workspace.version, workspace.status
            ), told AS (
                SELECT changed.id, changed.version, changed.status, event.type, event.payload
                FROM unnest($6::uuid[], $7::text[], $8::text[]) WITH ORDINALITY AS event (id, type, payload, nth)
                JOIN changed USING (id)
                ORDER BY event.nth
            )
            SELECT id, version, status, log.append(type, id, payload::jsonb) FROM told
            """;

    private PgTransitions() {}

    /** Applies what still applies and returns it; the rest changed meanwhile and is the caller's to decide anew. */
    public static Future<List<Changed>> apply(SqlClient client, List<StatusChange> changes, Instant now) {
        if (changes.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return client.preparedQuery(APPLY).execute(parameters(changes, now)).map(rows -> {
            Map<UUID, Changed> changed = new LinkedHashMap<>();
            for (Row row : rows) {
                var id = row.getUUID("id");
                changed.put(
                        id, new Changed(id, row.getLong("version"), WorkspaceStatus.ofWire(row.getString("status"))));
            }
            return List.copyOf(changed.values());
        });
    }

    private static Tuple parameters(List<StatusChange> changes, Instant now) {
        var sorted = new ArrayList<>(changes);
        sorted.sort(Comparator.comparing(change -> change.workspaceId().toString()));
        List<UUID> told = new ArrayList<>();
        List<RecordedEvent> events = new ArrayList<>();
        for (var change : changes) {
            for (var event : change.events()) {
                told.add(change.workspaceId());
                events.add(event);
            }
        }
        return Tuple.tuple()
                .addValue(sorted.stream().map(StatusChange::workspaceId).toArray(UUID[]::new))
                .addValue(sorted.stream().map(change -> change.from().wire()).toArray(String[]::new))
                .addValue(sorted.stream().map(change -> change.to().wire()).toArray(String[]::new))
                .addValue(sorted.stream().map(change -> change.events().size()).toArray(Integer[]::new))
                .addValue(PgValues.time(now))
                .addValue(told.toArray(UUID[]::new))
                .addValue(events.stream().map(RecordedEvent::type).toArray(String[]::new))
                .addValue(
                        events.stream().map(event -> Json.text(event.payload())).toArray(String[]::new));
    }
}
