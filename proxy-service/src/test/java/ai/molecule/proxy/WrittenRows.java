package ai.molecule.proxy;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.json.Json;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rows of activity in a database, without those that show delegations, in the order of insertion: read whenever somebody looks. */
public final class WrittenRows extends AbstractList<ActivityRow> {

    private static final String READ = """
            SELECT activity.*, request_body::text AS request, response_body::text AS response, tool_trace::text AS trace
            FROM log.activity LEFT JOIN log.activity_bodies USING (id, day) WHERE (activity_type = 'delegation') = $1 ORDER BY seq
            """;

    private @Nullable Pool pool;

    void in(Vertx vertx, String databaseUrl) {
        pool = PgBuilder.pool().connectingTo(databaseUrl).using(vertx).build();
    }

    @Override
    public ActivityRow get(int index) {
        return read(false).get(index);
    }

    @Override
    public int size() {
        return read(false).size();
    }

    @Override
    public Iterator<ActivityRow> iterator() {
        return read(false).iterator();
    }

    @Override
    public Stream<ActivityRow> stream() {
        return read(false).stream();
    }

    /** A JSON text as a row has it. */
    public String stored(String json) {
        return Json.text(Json.stored(database()
                .preparedQuery("SELECT $1::text::jsonb::text")
                .execute(Tuple.of(json))
                .await()
                .iterator()
                .next()
                .getString(0)));
    }

    /** Those that show delegations. */
    public List<ActivityRow> delegations() {
        return read(true);
    }

    /** From now on nothing can be written down, as when PostgreSQL is away, until {@link #accept}. */
    public void refuse() {
        run(
                "CREATE FUNCTION public.away() RETURNS trigger LANGUAGE plpgsql AS"
                        + " 'BEGIN RAISE EXCEPTION ''away'' USING ERRCODE = ''57P03''; END';"
                        + " CREATE TRIGGER away BEFORE INSERT ON log.activity FOR EACH STATEMENT EXECUTE FUNCTION public.away()");
    }

    public void accept() {
        run("DROP TRIGGER away ON log.activity; DROP FUNCTION public.away()");
    }

    /** Whatever is to be written waits, until the returned is run. */
    public Runnable hold() {
        SqlConnection connection = database().getConnection().await();
        var transaction = connection.begin().await();
        connection
                .query("LOCK TABLE log.activity IN SHARE ROW EXCLUSIVE MODE")
                .execute()
                .await();
        return () -> transaction.rollback().eventually(connection::close).await();
    }

    /** How many statements wait for {@link #hold}. */
    public int held() {
        return database()
                .query(
                        "SELECT count(*)::integer FROM pg_locks WHERE NOT granted AND relation = 'log.activity'::regclass")
                .execute()
                .await()
                .iterator()
                .next()
                .getInteger(0);
    }

    /** First columns of what a statement reads, as text. */
    public List<String> texts(String sql) {
        return database().query(sql).execute().await().stream()
                .map(row -> row.getString(0))
                .toList();
    }

    private void run(String sql) {
        database().query(sql).execute().await();
    }

    private List<ActivityRow> read(boolean delegations) {
        return pool == null
                ? List.of()
                : pool.preparedQuery(READ).execute(Tuple.of(delegations)).await().stream()
                        .map(WrittenRows::row)
                        .toList();
    }

    private Pool database() {
        if (pool == null) {
            throw new IllegalStateException("no proxy was started");
        }
        return pool;
    }

    private static ActivityRow row(Row row) {
        return new ActivityRow(
                row.getUUID("id"),
                row.getUUID("workspace_id"),
                row.getString("activity_type"),
                row.getUUID("source_id"),
                row.getUUID("target_id"),
                row.getString("method"),
                row.getString("summary"),
                json(row.getString("request")),
                json(row.getString("response")),
                json(row.getString("trace")),
                row.getInteger("duration_ms"),
                row.getString("status"),
                row.getString("error_detail"),
                row.getString("idempotency_key"),
                row.getUUID("work_id"),
                row.getOffsetDateTime("created_at").toInstant(),
                false);
    }

    private static @Nullable String json(@Nullable String text) {
        return text == null ? null : Json.text(Json.stored(text));
    }
}
