package ai.molecule.proxy.delegations;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.List;

/** Reads {@link Shown} from rows that have all its columns. */
final class PgShown {

    private PgShown() {}

    static List<Shown> all(RowSet<Row> rows) {
        return rows.stream().map(PgShown::of).toList();
    }

    private static Shown of(Row row) {
        var created = row.getOffsetDateTime("created_at").toInstant();
        var resulted = row.getOffsetDateTime("result_at");
        return new Shown(
                row.getUUID("id"),
                row.getUUID("result_id"),
                row.getString("delegation_id"),
                row.getUUID("source_id"),
                row.getUUID("target_id"),
                row.getString("task"),
                row.getString("status"),
                row.getString("result_status"),
                row.getString("result_text"),
                row.getString("error"),
                row.getBoolean("outcome_unknown"),
                created,
                resulted == null ? created : resulted.toInstant(),
                row.getInteger("revision"));
    }
}
