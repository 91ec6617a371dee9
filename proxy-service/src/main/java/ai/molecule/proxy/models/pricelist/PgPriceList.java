package ai.molecule.proxy.models.pricelist;

import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table {@code price_list}, which has one row (db/proxy/V198__price_list.sql). */
record PgPriceList(Database database) {

    /** The list that was taken last. */
    record Kept(long version, byte[] content, String signature, String from, Instant takenAt) {}

    /**
     * What came of looking for a newer one.
     *
     * @param triedAt null before the first time
     * @param failure why nothing was taken; null where all is well
     */
    record Look(@Nullable Instant triedAt, @Nullable String failure) {}

    /** Of several that ask at the same time one changes the row; the others wait for it, and find the next look put off. */
    private static final String CLAIM = """
            UPDATE price_list SET source = $1, keys = $2, tried_at = now(), next_at = now() + $3::bigint * interval '1 ms'
            WHERE $4::boolean OR next_at <= now() OR source IS DISTINCT FROM $1 OR keys IS DISTINCT FROM $2
            """;

    private static final String VERSION = "SELECT version FROM price_list";

    private static final String KEPT = """
            SELECT version, content, signature, taken_from, taken_at FROM price_list WHERE content IS NOT NULL
            """;

    private static final String LOOK = "SELECT tried_at, failure FROM price_list";

    /** In the place of that version only, so that what another proxy took meanwhile is not undone. The same list again is no other one. */
    private static final String TAKE = """
            UPDATE price_list SET
                version = version + CASE WHEN content IS DISTINCT FROM $2::bytea OR signature IS DISTINCT FROM $3::text THEN 1 ELSE 0 END,
                taken_at = CASE WHEN content IS DISTINCT FROM $2::bytea OR signature IS DISTINCT FROM $3::text THEN now() ELSE taken_at END,
                content = $2::bytea, signature = $3::text, taken_from = $4, failure = NULL,
                next_at = now() + $5::bigint * interval '1 ms'
            WHERE version = $1
            """;

    private static final String REFUSE =
            "UPDATE price_list SET failure = $1, next_at = now() + $2::bigint * interval '1 ms'";

    /**
     * Whether it is this proxy's turn to look. Then nobody else's is for {@code pause}, should it come to no end.
     *
     * @param anyway whatever was looked at when
     */
    Future<Boolean> claim(String source, String keys, Duration pause, boolean anyway) {
        return database.changes(CLAIM, Tuple.of(source, keys, pause.toMillis(), anyway));
    }

    /** Another one with each list that is taken. */
    Future<Long> version() {
        return database.get(VERSION, Tuple.tuple(), row -> row.getLong("version"));
    }

    Future<Optional<Kept>> kept() {
        return database.find(KEPT, Tuple.tuple(), PgPriceList::kept);
    }

    Future<Look> look() {
        return database.get(LOOK, Tuple.tuple(), row -> {
            OffsetDateTime triedAt = row.getOffsetDateTime("tried_at");
            return new Look(triedAt == null ? null : triedAt.toInstant(), row.getString("failure"));
        });
    }

    /** Takes a list in the place of {@code version}; false where there is another by now. */
    Future<Boolean> take(long version, PriceListFetch.Fetched list, String from, Duration next) {
        return database.changes(
                TAKE,
                Tuple.of(
                        version, Buffer.buffer(list.content()), list.signature().strip(), from, next.toMillis()));
    }

    Future<Void> refuse(String why, Duration next) {
        return database.run(REFUSE, Tuple.of(why, next.toMillis()));
    }

    private static Kept kept(Row row) {
        return new Kept(
                row.getLong("version"),
                row.getBuffer("content").getBytes(),
                row.getString("signature"),
                row.getString("taken_from"),
                row.getOffsetDateTime("taken_at").toInstant());
    }
}
