package ai.molecule.common.audit;

import ai.molecule.common.audit.Refusals.Counted;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Records what no trigger sees, because it changes no row: that a secret was read, that somebody was refused. */
public final class PgAudit {

    private static final String DONE = "SELECT log.append_audit($1, $2, $3, 'done', NULL, $4::text::jsonb)";

    private static final String REFUSED = """
            SELECT log.append_audit('request.refused', workspace_id, route, 'refused', left(reason, 200),
                jsonb_build_object('status', status, 'count', count), who::jsonb)
            FROM unnest($1::uuid[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::text[])
                AS refused (workspace_id, route, reason, status, count, who)
            """;

    private PgAudit() {}

    /** In the transaction of what is recorded, by whom that names. */
    public static Future<Void> done(
            Sql transaction, String verb, @Nullable UUID workspaceId, @Nullable String object, ObjectNode detail) {
        return transaction.run(DONE, Tuple.of(verb, workspaceId, object, Json.text(detail)));
    }

    /** All or none. */
    static Future<Void> refused(Sql sql, List<Counted> refused) {
        var samples = refused.stream().map(Counted::sample).toList();
        return sql.run(
                REFUSED,
                Tuple.of(
                        Sql.column(samples, Refusals.Refused::workspaceId, UUID[]::new),
                        Sql.column(samples, Refusals.Refused::route, String[]::new),
                        Sql.column(samples, Refusals.Refused::reason, String[]::new),
                        Sql.column(samples, Refusals.Refused::status, Integer[]::new),
                        Sql.column(refused, Counted::count, Integer[]::new),
                        Sql.column(samples, sample -> sample.who().json(), String[]::new)));
    }
}
