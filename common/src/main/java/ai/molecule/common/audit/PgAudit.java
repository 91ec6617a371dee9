package ai.molecule.common.audit;

import ai.molecule.common.db.Sql;
import com.fasterxml.jackson.databind.node.ObjectNode;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Records what no trigger sees, because it changes no row: that a secret was read, that somebody was refused. */
public final class PgAudit {

    private static final String APPEND = """
            SELECT log.append_audit($1, $2, $3, $4, $5, $6::text::jsonb, $7::text::jsonb)
            """;

    private PgAudit() {}

    /** In the transaction of what is recorded, by whom that names. */
    public static Future<Void> done(
            Sql transaction, String verb, @Nullable UUID workspaceId, @Nullable String object, ObjectNode detail) {
        return append(transaction, verb, workspaceId, object, "done", null, detail, null);
    }

    /** By somebody who was not let in, or not to that. */
    public static Future<Void> refused(Sql sql, Refusals.Refused refused) {
        return append(
                sql,
                refused.verb(),
                refused.workspaceId(),
                refused.route(),
                "refused",
                refused.reason(),
                refused.detail(),
                refused.who());
    }

    private static Future<Void> append(
            Sql sql,
            String verb,
            @Nullable UUID workspaceId,
            @Nullable String object,
            String verdict,
            @Nullable String reason,
            ObjectNode detail,
            @Nullable Actor who) {
        return sql.run(
                APPEND,
                Tuple.tuple()
                        .addString(verb)
                        .addUUID(workspaceId)
                        .addString(object)
                        .addString(verdict)
                        .addString(reason)
                        .addString(Json.text(detail))
                        .addString(who == null ? null : who.json()));
    }
}
