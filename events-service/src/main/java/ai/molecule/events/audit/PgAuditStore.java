package ai.molecule.events.audit;

import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code log.audit} and its chain (db/log/V031__audit.sql). What has a position is as it will always be. */
public record PgAuditStore(Database database) {

    /**
     * One row.
     *
     * @param seq null, as {@code hash} is, while it waits for its link
     * @param entry its exact text
     * @param follows whether it is linked to the one before; true while it waits
     */
    record Recorded(@Nullable Long seq, @Nullable String hash, String entry, boolean follows) {}

    /** Where the chain begins and ends, and how many rows are not in it yet. */
    record Ends(long baseSeq, String baseHash, long seq, String hash, long waiting) {}

    private static final String LINK = "SELECT log.link_audit($1, $2)";
    private static final String FORGET = "SELECT log.forget_audit($1, $2)";
    private static final int FORGOTTEN_AT_ONCE_MAX = 5_000;

    /** The most that one run forgets, in batches; the next runs forget the rest. */
    private static final int FORGOTTEN_BATCHES_MAX = 100;

    private static final String ENDS = """
            SELECT base_seq, base_hash, seq, hash,
                (SELECT count(*) FROM log.audit AS waits WHERE waits.seq IS NULL AND waits.id > linked_to) AS waiting
            FROM log.audit_chain
            """;

    private static final String MATCHING = """
            FROM log.audit AS row
            WHERE ($1::text IS NULL OR actor_name = $1) AND ($2::text IS NULL OR actor_kind = $2)
              AND ($3::uuid IS NULL OR workspace_id = $3)
              AND ($4::text IS NULL OR verb = $4 OR starts_with(verb, $4 || '.'))
              AND ($5::text IS NULL OR object = $5)
              AND ($6::timestamptz IS NULL OR at >= $6) AND ($7::timestamptz IS NULL OR at <= $7)
              AND ($8::bigint IS NULL OR seq < $8) AND ($9::uuid[] IS NULL OR workspace_id = ANY ($9))
            """;

    /** What waits for its link is the newest there is. */
    private static final String PAGE = """
            SELECT seq, hash, entry, seq IS NULL OR hash = log.audit_hash(
                coalesce((SELECT earlier.hash FROM log.audit AS earlier WHERE earlier.seq = row.seq - 1), (SELECT base_hash FROM log.audit_chain)),
                seq, entry) AS follows
            """ + MATCHING + " ORDER BY seq DESC NULLS FIRST, id DESC LIMIT $10 OFFSET $11";

    private static final String COUNT = "SELECT count(*) " + MATCHING;

    private static final String AFTER = """
            SELECT seq, hash, entry, true AS follows FROM log.audit WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3
            """;

    /** Signing an end twice changes nothing. */
    private static final String ADD_HEAD =
            "INSERT INTO log.audit_heads (seq, jws) VALUES ($1, $2) ON CONFLICT (seq) DO NOTHING";

    private static final String HAS_HEAD = "SELECT EXISTS (SELECT 1 FROM log.audit_heads WHERE seq = $1)";

    /** One an hour, and one for each start and stop: those of the years that rows are kept. */
    private static final String HEADS = """
            SELECT seq, jws FROM log.audit_heads WHERE seq >= $1 AND seq <= $2 ORDER BY seq LIMIT 100000
            """;

    private static final String FORGET_HEADS = """
            DELETE FROM log.audit_heads WHERE seq < (SELECT base_seq FROM log.audit_chain)
            """;

    /** An end of the chain, signed. */
    record SignedHead(long seq, String jws) {}

    Future<Boolean> hasHead(long seq) {
        return database.get(HAS_HEAD, Tuple.of(seq), row -> row.getBoolean(0));
    }

    Future<Void> addHead(SignedHead head) {
        return database.run(ADD_HEAD, Tuple.of(head.seq(), head.jws()));
    }

    /** Those of the part of the chain that is kept. */
    Future<List<SignedHead>> heads(long from, long upTo) {
        return database.list(
                HEADS, Tuple.of(from, upTo), row -> new SignedHead(row.getLong("seq"), row.getString("jws")));
    }

    Future<List<Recorded>> page(AuditQuery query) {
        return database.list(
                PAGE, parameters(query).addInteger(query.limit()).addInteger(query.offset()), PgAuditStore::recorded);
    }

    Future<Long> count(AuditQuery query) {
        return database.get(COUNT, parameters(query), row -> row.getLong(0));
    }

    Future<Ends> ends() {
        return database.get(
                ENDS,
                Tuple.tuple(),
                row -> new Ends(
                        row.getLong("base_seq"),
                        row.getString("base_hash"),
                        row.getLong("seq"),
                        row.getString("hash"),
                        row.getLong("waiting")));
    }

    /** Linked rows in their order. */
    Future<List<Recorded>> after(long seq, long upTo, int limit) {
        return database.list(AFTER, Tuple.of(seq, upTo, limit), PgAuditStore::recorded);
    }

    /** Links the next rows, if that is the leader's to do; how many. */
    Future<Integer> link(UUID leader, int most) {
        return database.get(LINK, Tuple.of(leader, most), row -> row.getInteger(0));
    }

    /** Deletes what is older, from the oldest on. Idempotent. */
    public Future<Void> forget(Instant before) {
        return forget(before.atOffset(ZoneOffset.UTC), 1).compose(forgotten -> database.run(FORGET_HEADS));
    }

    private Future<Void> forget(OffsetDateTime before, int batch) {
        return database.get(FORGET, Tuple.of(before, FORGOTTEN_AT_ONCE_MAX), row -> row.getInteger(0))
                .compose(forgotten -> forgotten == FORGOTTEN_AT_ONCE_MAX && batch < FORGOTTEN_BATCHES_MAX
                        ? forget(before, batch + 1)
                        : Future.succeededFuture());
    }

    private static Tuple parameters(AuditQuery query) {
        var within = query.within();
        return Tuple.tuple()
                .addString(query.actor())
                .addString(query.kind())
                .addUUID(query.workspaceId())
                .addString(query.verb())
                .addString(query.object())
                .addOffsetDateTime(time(query.from()))
                .addOffsetDateTime(time(query.to()))
                .addLong(query.before())
                .addArrayOfUUID(within == null ? null : within.toArray(UUID[]::new));
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    private static Recorded recorded(Row row) {
        return new Recorded(
                row.getLong("seq"), row.getString("hash"), row.getString("entry"), row.getBoolean("follows"));
    }
}
