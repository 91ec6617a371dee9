package ai.molecule.proxy.webhooks;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.proxy.work.PgWorks;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tables {@code webhooks}, {@code webhook_deliveries} (db/proxy/V120__webhooks.sql, V186, V192) and {@code paused_webhooks} (V206). */
public record PgWebhooks(Database database) {

    static final int MAX = 100;

    /**
     * A delivery that was taken.
     *
     * @param digest of what its signature covers and of whom it is for
     * @param bodyDigest the same of its body alone
     */
    record Taken(String deliveryId, Buffer digest, Buffer bodyDigest, UUID workId) {}

    private static final String LIST = "SELECT * FROM webhooks ORDER BY type LIMIT 200";

    private static final String FIND = "SELECT * FROM webhooks WHERE type = $1";

    /** One that is there may be set anew whatever the number, unless another one was first with it. */
    private static final String SET = """
            INSERT INTO webhooks (type, workspace_id, title, brief, events, limit_usd, made_by, ends_with)
            SELECT $1, $2, $3, $4, $5, $6, $9, $10 WHERE EXISTS (SELECT 1 FROM webhooks WHERE type = $1) OR (SELECT count(*) FROM webhooks) < $7
            ON CONFLICT (type) DO UPDATE SET workspace_id = excluded.workspace_id, title = excluded.title, brief = excluded.brief,
                events = excluded.events, limit_usd = excluded.limit_usd, made_by = excluded.made_by,
                ends_with = CASE WHEN $11 THEN excluded.ends_with ELSE webhooks.ends_with END
            WHERE webhooks.workspace_id IS NOT DISTINCT FROM $8
            """;

    private static final String DELETE = "DELETE FROM webhooks WHERE type = $1";

    /** Of two at the same time the second waits for the first, and finds it there. */
    private static final String TAKE = """
            INSERT INTO webhook_deliveries (type, delivery_id, digest, work_id, workspace_id, body_digest) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT DO NOTHING
            """;

    private static final String TAKEN = """
            SELECT delivery_id, digest, coalesce(body_digest, digest) AS body_digest, work_id FROM webhook_deliveries
            WHERE type = $1 AND (delivery_id = $2 AND workspace_id = $4 OR digest = $3)
            ORDER BY delivery_id = $2 DESC LIMIT 1
            """;

    /** Each is told once: of two replicas the second finds it told. One with another agent is another one to who reads the inbox. */
    private static final String TELL_PAUSED = """
            WITH stopped AS (
                SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[]) AS stopped (type, workspace_id, made_by)
            ), resumed AS (
                DELETE FROM paused_webhooks AS told
                WHERE NOT EXISTS (SELECT 1 FROM stopped WHERE stopped.type = told.type AND stopped.workspace_id = told.workspace_id)
                RETURNING told.type, told.workspace_id
            ), paused AS (
                INSERT INTO paused_webhooks (type, workspace_id) SELECT type, workspace_id FROM stopped
                ON CONFLICT DO NOTHING RETURNING type, workspace_id
            )
            SELECT log.append('WEBHOOK_RESUMED', workspace_id, jsonb_build_object('webhook', type)) FROM resumed
            UNION ALL
            SELECT log.append('WEBHOOK_PAUSED', workspace_id, jsonb_build_object('webhook', type, 'made_by', made_by))
            FROM paused JOIN stopped USING (type, workspace_id)
            """;

    private static final String FORGET = """
            DELETE FROM webhook_deliveries WHERE (type, workspace_id, delivery_id) IN (
                SELECT type, workspace_id, delivery_id FROM webhook_deliveries WHERE taken_at < now() - $1::bigint * interval '1 ms'
                ORDER BY taken_at LIMIT $2 FOR UPDATE SKIP LOCKED)
            """;

    Future<List<Webhook>> list() {
        return database.list(LIST, Tuple.tuple(), PgWebhooks::toWebhook);
    }

    Future<Optional<Webhook>> find(String type) {
        return database.find(FIND, Tuple.of(type), PgWebhooks::toWebhook);
    }

    /**
     * Fails with CONFLICT where there are as many as there may be, and where one is there that is for another agent than was seen.
     *
     * @param before whom the one is for that was seen
     * @param secretToo whether its secret is another one from now on: else whoever set that knows it still
     */
    Future<Void> set(Webhook webhook, @Nullable UUID before, boolean secretToo) {
        var events = webhook.events();
        return database.changes(
                        SET,
                        Tuple.tuple()
                                .addString(webhook.type())
                                .addUUID(webhook.to())
                                .addString(webhook.title().text())
                                .addString(webhook.brief().text())
                                .addValue(events == null ? null : events.toArray(String[]::new))
                                .addBigDecimal(webhook.limit())
                                .addInteger(MAX)
                                .addUUID(before)
                                .addValue(webhook.made().by())
                                .addUUID(webhook.made().endsWith())
                                .addBoolean(secretToo))
                .compose(stored -> stored
                        ? Future.succeededFuture()
                        : find(webhook.type())
                                .compose(first -> Future.failedFuture(
                                        first.isPresent()
                                                ? taken()
                                                : ApiError.conflict("maximum %d webhooks".formatted(MAX)))));
    }

    static ApiError taken() {
        return ApiError.conflict("this type is taken");
    }

    Future<Boolean> delete(String type) {
        return database.changes(DELETE, Tuple.of(type));
    }

    /** To be taken with its work; false where it was taken before. */
    PgWorks.First taking(String type, UUID to, Taken taken) {
        return transaction -> transaction
                .preparedQuery(TAKE)
                .execute(Tuple.of(type, taken.deliveryId, taken.digest, taken.workId, to, taken.bodyDigest))
                .map(rows -> rows.rowCount() > 0);
    }

    /** The one for that target with that id, else the one with that digest: one id may be for several targets. */
    Future<Optional<Taken>> taken(String type, UUID to, String deliveryId, Buffer digest) {
        return database.find(
                TAKEN,
                Tuple.of(type, deliveryId, digest, to),
                row -> new Taken(
                        row.getString("delivery_id"),
                        row.getBuffer("digest"),
                        row.getBuffer("body_digest"),
                        row.getUUID("work_id")));
    }

    /** Completes with how many. */
    public Future<Integer> forget(Duration age, int max) {
        return database.update(FORGET, Tuple.of(age.toMillis(), max));
    }

    /** Records which are paused now and which are no longer, each once; completes with how many changed. */
    Future<Integer> tellPaused(List<Webhook> paused) {
        return database.query(
                        TELL_PAUSED,
                        Tuple.tuple()
                                .addValue(Sql.column(paused, Webhook::type, String[]::new))
                                .addValue(Sql.column(paused, Webhook::to, UUID[]::new))
                                .addValue(Sql.column(paused, one -> one.made().by(), String[]::new)))
                .map(RowSet::size);
    }

    private static Webhook toWebhook(Row row) {
        String @Nullable [] events = row.getArrayOfStrings("events");
        return new Webhook(
                row.getString("type"),
                row.getUUID("workspace_id"),
                new Template(row.getString("title")),
                new Template(row.getString("brief")),
                events == null ? null : List.of(events),
                row.getBigDecimal("limit_usd"),
                new Webhook.Made(row.getString("made_by"), row.getUUID("ends_with")));
    }
}
