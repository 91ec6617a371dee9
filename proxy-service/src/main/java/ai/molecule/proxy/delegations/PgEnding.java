package ai.molecule.proxy.delegations;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

/** The only statement that ends a delegation: the row, its outcome and its event together. */
final class PgEnding {

    private static final int PREVIEW_MAX = 200;

    /**
     * Safe under races because the row is locked before it is judged: one that ended meanwhile is not chosen any more, so of two
     * endings the first stays and one event tells it. Chosen by parameters from 9 on; of several that a reply may answer, one that
     * another reply is ending is passed over.
     */
    private static final String END = """
            WITH chosen AS (
                SELECT id FROM delegations
                WHERE status NOT IN ('completed', 'failed') AND %s
                ORDER BY created_at LIMIT 1 FOR UPDATE %s
            ), ended AS (
                UPDATE delegations AS delegation
                SET status = $1::text, result_status = CASE WHEN $2::boolean THEN $1::text ELSE result_status END,
                    result_text = $3::text, error = $4::text, outcome_unknown = $5::boolean, due_at = NULL,
                    waits_for = NULL, claim = claim + 1, revision = revision + 1, touched_at = now(),
                    result_at = coalesce(result_at, greatest(now(), created_at + interval '1 microsecond'))
                FROM chosen WHERE delegation.id = chosen.id
                RETURNING delegation.source_id, delegation.delegation_id, delegation.target_id
            )
            SELECT log.append($6::text, source_id, jsonb_strip_nulls(jsonb_build_object(
                'delegation_id', delegation_id, 'target_id', target_id, 'response_preview', $7::text, 'error', $4::text,
                'outcome', CASE WHEN $5::boolean THEN 'unknown' END, 'via', $8::text))) FROM ended
            """;

    static final String BY_CLAIM = END.formatted("id = $9 AND claim = $10", "");
    static final String BY_ID = END.formatted("id = $9", "");
    static final String BY_NAME = END.formatted("delegation_id = $9 AND (source_id = $10 OR target_id = $10)", "");
    static final String OF_SOURCE = END.formatted("delegation_id = $9 AND source_id = $10", "");

    /** Only what the platform carries out: an agent that follows its own delegations hears its replies itself. */
    static final String BY_REPLY = END.formatted("""
            status IN ('dispatched', 'queued') AND run_by = 'platform' AND target_id = $9 AND source_id = $10
                AND ($11::text IS NULL OR delegation_id = $11)""", "SKIP LOCKED");

    private PgEnding() {}

    /** Whether one was chosen. */
    static Future<Boolean> run(SqlClient client, String statement, Outcome outcome, Object... choice) {
        var parameters = Tuple.tuple()
                .addString(outcome.completed() ? "completed" : "failed")
                .addBoolean(outcome.listed())
                .addString(outcome.text())
                .addString(outcome.error())
                .addBoolean(outcome.unknown())
                .addString(outcome.completed() ? "DELEGATION_COMPLETE" : "DELEGATION_FAILED")
                .addString(outcome.text() == null ? null : Preview.of(outcome.text(), PREVIEW_MAX))
                .addString(outcome.via());
        for (var one : choice) {
            parameters.addValue(one);
        }
        return client.preparedQuery(statement).execute(parameters).map(rows -> rows.size() > 0);
    }
}
