package ai.molecule.proxy.work;

import ai.molecule.common.bus.proxy.WorkBetween;
import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.ZoneOffset;

/** What became of work in a time, of the tables {@code works} and {@code model_calls}. */
public record PgWorkSums(Database database) {

    /** One whose first message was canceled was stopped, as {@link PgWorks} has it. */
    private static final String SUM = """
            SELECT count(*) FILTER (WHERE status = 'done')::integer AS done, count(*) FILTER (WHERE status = 'failed' AND canceled)::integer AS stopped,
                count(*) FILTER (WHERE status = 'failed' AND NOT canceled)::integer AS failed,
                (SELECT coalesce(sum(cost_micros), 0)::bigint FROM model_calls WHERE started_at >= $1 AND started_at < $2) AS cost
            FROM (
                SELECT status, EXISTS (SELECT 1 FROM tasks AS t WHERE t.id = works.root_task AND t.status = 'stopped') AS canceled
                FROM works WHERE ended_at >= $1 AND ended_at < $2
            ) AS ended
            """;

    /** Serves {@link WorkBetween}. */
    public Future<WorkBetween.Sum> between(WorkBetween question) {
        return database.get(
                SUM,
                Tuple.of(question.from().atOffset(ZoneOffset.UTC), question.to().atOffset(ZoneOffset.UTC)),
                row -> new WorkBetween.Sum(
                        row.getInteger("done"),
                        row.getInteger("stopped"),
                        row.getInteger("failed"),
                        row.getLong("cost")));
    }
}
