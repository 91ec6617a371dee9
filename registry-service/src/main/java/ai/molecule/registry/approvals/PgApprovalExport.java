package ai.molecule.registry.approvals;

import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What was decided on approvals, page by page. */
public record PgApprovalExport(Database database) {

    /** When what is exported was asked for: {@code from} and later, before {@code to}. */
    record Period(Instant from, Instant to) {}

    /** Where the last page of an export ended. */
    record Place(Instant createdAt, UUID id) {}

    /** @param last null behind the last one */
    record ExportPage(
            List<ExportedDecision> decisions, @Nullable Place last) {}

    /** By the index approvals_by_age; what nobody decided yet is left out. */
    private static final String EXPORT = PgApprovalRows.COLUMNS + """
                , w.id AS workspace_id, w.name AS workspace_name, coalesce(a.context ->> 'tool', '') AS tool
            FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.created_at >= $1 AND a.created_at < $2 AND (a.status <> 'pending' OR a.votes <> '[]')
              AND ($3::timestamptz IS NULL OR (a.created_at, a.id) > ($3, $4::uuid))
              AND\s
            """ + PgApprovalRows.WITHIN.formatted("$6")
            + " ORDER BY a.created_at, a.id LIMIT $5";

    /** @param after null for the first page */
    Future<ExportPage> export(Period period, @Nullable Place after, @Nullable List<UUID> within, int limit) {
        return database.list(
                        EXPORT,
                        Tuple.tuple()
                                .addValue(PgValues.time(period.from()))
                                .addValue(PgValues.time(period.to()))
                                .addValue(after == null ? null : PgValues.time(after.createdAt()))
                                .addUUID(after == null ? null : after.id())
                                .addInteger(limit)
                                .addArrayOfUUID(within == null ? null : within.toArray(UUID[]::new)),
                        PgApprovalExport::toAsked)
                .map(asked -> new ExportPage(
                        asked.stream()
                                .flatMap(one -> ExportedDecision.of(one).stream())
                                .toList(),
                        asked.size() < limit ? null : placeOf(asked.getLast().approval())));
    }

    private static Place placeOf(Approval last) {
        return new Place(last.createdAt(), last.id());
    }

    private static ExportedDecision.Asked toAsked(Row row) {
        return new ExportedDecision.Asked(
                row.getUUID("workspace_id"),
                row.getString("workspace_name"),
                row.getString("tool"),
                row.getString("asked_by"),
                PgApprovalRows.toApproval(row));
    }
}
