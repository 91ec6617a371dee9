package ai.molecule.common.db;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.net.SocketException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connects a service to its schema of the one database. */
public final class Postgres {

    private static final Logger LOGGER = LoggerFactory.getLogger(Postgres.class);

    /** Connections per service and replica; eight services' worth stay below PostgreSQL's default of 100. */
    private static final int POOL_MAX = 10;

    /** Requests waiting for a connection beyond this fail at once rather than pile up. */
    private static final int WAIT_QUEUE_MAX = 10_000;

    private static final int CONNECTION_WAIT_SECONDS = 5;

    /** Idle connections are closed long before their silence could be taken for the server's. */
    private static final int IDLE_SECONDS = 10;

    /**
     * A connection on which nothing was heard for so long is closed, and what waits on it fails: no statement takes longer, so the
     * server is gone without having said so. By itself TCP would find that out after a quarter of an hour.
     */
    private static final int SILENCE_MAX_SECONDS = 25;

    private static final int SEARCH_POOL_MAX = 3;
    private static final int SEARCH_QUEUE_MAX = 100;
    private static final int OWNERS_QUEUE_MAX = 10;
    private static final String SEARCH_TIMEOUT_MILLIS = "2000";

    private static final String STATEMENT_TIMEOUT_MILLIS = "10000";
    private static final String IDLE_IN_TRANSACTION_TIMEOUT_MILLIS = "10000";

    /** An advisory lock ("schema" on a telephone keypad): of services that start together, one at a time creates its schema. */
    private static final long CREATION_LOCK_KEY = 724_362L;

    /** The last parameter of the URL of who has a role. */
    private static final Pattern ROLE = Pattern.compile("[?&]role=([^&]+)$");

    private static final String ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

    private static final String READ_ONLY = "SHOW transaction_read_only";
    private static final String END = "SELECT pg_terminate_backend(pg_backend_pid())";

    /** A connection that is older is closed when it is idle, so that none stays for ever with a server that the address no longer means. */
    private static final int AGE_MAX_SECONDS = 120;

    private static final Set<String> UNAVAILABLE_CLASSES = Set.of("08", "40", "53", "57");

    private static final String READ_ONLY_STATE = "25006";

    /** A server that takes no changes, a transaction that did nothing for too long, and a lock that was not to be had. */
    private static final Set<String> UNAVAILABLE_STATES = Set.of(READ_ONLY_STATE, "25P03", "55P03");

    private Postgres() {}

    /** A pool whose unqualified names mean {@code schema}. */
    public static Pool pool(Vertx vertx, String databaseUrl, String schema) {
        return pool(vertx, databaseUrl, schema, STATEMENT_TIMEOUT_MILLIS, POOL_MAX, WAIT_QUEUE_MAX);
    }

    /** Few connections with little time, for statements whose cost strangers' texts decide: they cannot take the service's own. */
    public static Pool searchPool(Vertx vertx, String databaseUrl, String schema) {
        return pool(vertx, databaseUrl, schema, SEARCH_TIMEOUT_MILLIS, SEARCH_POOL_MAX, SEARCH_QUEUE_MAX);
    }

    private static Pool pool(
            Vertx vertx, String databaseUrl, String schema, String timeoutMillis, int max, int waitQueueMax) {
        var connect = connectOptions(databaseUrl, schema)
                .addProperty("statement_timeout", timeoutMillis)
                .addProperty("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION_TIMEOUT_MILLIS);
        return pool(vertx, connect, options(max, waitQueueMax), SILENCE_MAX_SECONDS);
    }

    static PoolOptions options(int max, int waitQueueMax) {
        return new PoolOptions()
                .setMaxSize(max)
                .setMaxWaitQueueSize(waitQueueMax)
                .setIdleTimeout(IDLE_SECONDS)
                .setIdleTimeoutUnit(TimeUnit.SECONDS)
                .setMaxLifetime(AGE_MAX_SECONDS)
                .setMaxLifetimeUnit(TimeUnit.SECONDS)
                .setConnectionTimeout(CONNECTION_WAIT_SECONDS)
                .setConnectionTimeoutUnit(TimeUnit.SECONDS);
    }

    /** One connection as the owner, for what a service's role may not: making and dropping tables. */
    public static Pool ownersPool(Vertx vertx, String databaseUrl, String schema) {
        return pool(vertx, databaseUrl, schema, STATEMENT_TIMEOUT_MILLIS, 1, OWNERS_QUEUE_MAX);
    }

    static Pool pool(Vertx vertx, PgConnectOptions connect, PoolOptions options, int silenceMaxSeconds) {
        var silence = new NetClientOptions()
                .setReadIdleTimeout(silenceMaxSeconds)
                .setIdleTimeoutUnit(TimeUnit.SECONDS)
                .setConnectTimeout(CONNECTION_WAIT_SECONDS * 1_000);
        return PgBuilder.pool()
                .withConnectHandler(Postgres::endIfReadOnly)
                .connectingTo(connect)
                .with(options)
                .with(silence)
                .using(vertx)
                .build();
    }

    /**
     * Gives a new connection to its pool, but ends it where nothing can be written. During a failover the address of the database may lead to
     * the former primary for seconds; busy connections to it would stay for as long as they are busy.
     */
    private static void endIfReadOnly(SqlConnection connection) {
        connection
                .exceptionHandler(ended -> {}) // it ends here, and who waits for it hears of that
                .query(READ_ONLY)
                .execute()
                .map(rows -> rows.iterator().next().getString(0).equals("on"))
                .compose(readOnly -> readOnly
                        // as whoever signed in, who may do this to its own
                        ? connection.query("SET ROLE NONE; " + END).execute()
                        : Future.succeededFuture())
                .onComplete(done -> connection.close());
    }

    /** Completes when {@code sql} leads to a server that takes changes; fails as {@link #isUnavailable} where it takes none. */
    public static Future<Void> writable(Sql sql) {
        return sql.query(READ_ONLY)
                .compose(rows -> rows.iterator().next().getString(0).equals("on")
                        ? Future.failedFuture(new PgException("the server is read-only", "ERROR", READ_ONLY_STATE, ""))
                        : Future.succeededFuture());
    }

    /** With the role of the URL, if it names one. */
    public static PgConnectOptions connectOptions(String databaseUrl, String schema) {
        String folder = SocketFolder.of(databaseUrl);
        var options = PgConnectOptions.fromUri(SocketFolder.without(databaseUrl));
        if (folder != null) {
            options.setHost(folder);
        }
        var role = ROLE.matcher(databaseUrl); // the driver takes from a URL only what it knows
        if (role.find()) {
            options.addProperty("role", URLDecoder.decode(role.group(1), StandardCharsets.UTF_8));
        }
        Encryption.of(databaseUrl).applyTo(options);
        return options.setCachePreparedStatements(true)
                // a client that vanished keeps its session, and what that locks, for no longer; by itself TCP would
                // find out after two hours
                .addProperty("tcp_keepalives_idle", "10")
                .addProperty("tcp_keepalives_interval", "5")
                .addProperty("tcp_keepalives_count", "3")
                .addProperty("tcp_user_timeout", "20000")
                .addProperty("search_path", schema)
                .addProperty("application_name", "molecule-" + schema)
                // a notice is about what strangers sent, and would be a line in the log each
                .addProperty("client_min_messages", "warning");
    }

    /** Brings {@code schema} to the newest of {@code classpath:db/<schema>}. Replicas that start together wait for each other. */
    public static Future<Void> migrate(Vertx vertx, String databaseUrl, String schema) {
        return vertx.executeBlocking(
                () -> {
                    migrate(databaseUrl, schema, "latest");
                    return null;
                },
                false);
    }

    /** Blocks. The same up to {@code version} of {@code classpath:db/<schema>}, as Flyway names it; {@code latest} is the newest. */
    public static void migrate(String databaseUrl, String schema, String version) throws SQLException {
        var jdbc = Jdbc.of(databaseUrl);
        createSchema(jdbc, schema);
        Flyway.configure()
                .dataSource(jdbc.url(), jdbc.user(), jdbc.password())
                .schemas(schema)
                .defaultSchema(schema)
                .locations("classpath:db/" + schema)
                .target(version)
                .load()
                .migrate();
    }

    /** Blocks. A connection of whoever owns the database, for what copies all of it. */
    public static Connection connect(String databaseUrl) throws SQLException {
        var jdbc = Jdbc.of(databaseUrl);
        return DriverManager.getConnection(jdbc.url(), jdbc.user(), jdbc.password());
    }

    /**
     * Where a service's statements go once its schemas are there: to the same database, as {@link ServiceRole} where there is one, else as
     * the owner.
     */
    public static Future<String> asService(Vertx vertx, String databaseUrl, String schema) {
        return vertx.executeBlocking(
                () -> {
                    var jdbc = Jdbc.of(databaseUrl);
                    try (var connection = DriverManager.getConnection(jdbc.url(), jdbc.user(), jdbc.password())) {
                        sayIfPlain(connection, databaseUrl);
                        lock(connection);
                        var role = ServiceRole.prepare(connection, schema);
                        connection.commit();
                        return role.map(name -> withRole(databaseUrl, name)).orElse(databaseUrl);
                    }
                },
                false);
    }

    /** Who asks for TLS only where there is some is told that there is none. */
    private static void sayIfPlain(Connection connection, String databaseUrl) throws SQLException {
        if (!Encryption.of(databaseUrl).maySilentlyBePlain()) {
            return;
        }
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(ENCRYPTED)) {
            if (rows.next() && !rows.getBoolean(1)) {
                LOGGER.atWarn()
                        .addKeyValue("host", URI.create(databaseUrl).getHost())
                        .log("connections to PostgreSQL are not encrypted, for the server offers no TLS;"
                                + " see DATABASE_URL in docs/operations.md");
            }
        }
    }

    private static String withRole(String databaseUrl, String role) {
        return databaseUrl
                + (databaseUrl.contains("?") ? '&' : '?')
                + "role="
                + URLEncoder.encode(role, StandardCharsets.UTF_8);
    }

    private static void lock(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + CREATION_LOCK_KEY + ")");
        }
    }

    /** Creates the schema under a lock: {@code IF NOT EXISTS} alone fails when two create it at once, and Flyway locks only later. */
    private static void createSchema(Jdbc jdbc, String schema) throws SQLException {
        try (var connection = DriverManager.getConnection(jdbc.url(), jdbc.user(), jdbc.password());
                var statement = connection.createStatement()) {
            lock(connection);
            statement.execute("CREATE SCHEMA IF NOT EXISTS \"" + schema + "\"");
            connection.commit();
        }
    }

    /**
     * Whether the statement failed because of the database and not because of itself: it cannot be reached, is shutting down, takes no
     * changes or gave this transaction up for another. Whether anything was stored is then unknown, and a later try may succeed.
     */
    public static boolean isUnavailable(@Nullable Throwable failure) {
        return switch (failure) {
            case null -> false;
            case PgException refused -> {
                String state = refused.getSqlState() == null ? "" : refused.getSqlState();
                // 08 connection, 40 deadlock or serialisation, 53 resources, 57P0x shutdown, 57014 statement timeout
                yield UNAVAILABLE_STATES.contains(state)
                        || UNAVAILABLE_CLASSES.contains(state.substring(0, Math.min(2, state.length())));
            }
            case ClosedConnectionException closed -> true;
            case TimeoutException timedOut -> true;
            case SocketException refusedOrReset -> true;
            case ClosedChannelException closed -> true;
            default -> {
                String message = failure.getMessage();
                boolean poolGaveUp = message != null
                        && (message.contains("Timeout waiting for connection")
                                || message.equals("Timeout") // the same, told to who asked for a connection by itself
                                || message.contains("Connection is closed")
                                || message.contains("Connection is not active now")
                                || message.contains("Connection reset by peer")
                                || message.contains("Broken pipe")
                                || message.contains("Failed to read any response from the server")
                                || message.contains("wait queue"));
                yield poolGaveUp || isUnavailable(failure.getCause());
            }
        };
    }

    /** What a caller is told of a failure that is the database's: it has no room, or it is out of reach. Empty for any other. */
    public static Optional<ApiError> outage(@Nullable Throwable failure) {
        if (failure instanceof PgException refused && "53100".equals(refused.getSqlState())) {
            return Optional.of(
                    new ApiError(ApiError.Kind.INSUFFICIENT_STORAGE, "the platform's database has no room left"));
        }
        return isUnavailable(failure) ? Optional.of(ApiError.platformUnavailable()) : Optional.empty();
    }

    /** Whether the statement was refused for what the client sent: a text PostgreSQL cannot represent, a number out of range. */
    public static boolean isBadValue(@Nullable Throwable failure) {
        return failure instanceof PgException refused
                && refused.getSqlState() != null
                && refused.getSqlState().startsWith("22");
    }

    public static boolean isUniqueViolation(@Nullable Throwable failure) {
        return failure instanceof PgException refused && "23505".equals(refused.getSqlState());
    }

    private record Jdbc(String url, String user, String password) {

        static Jdbc of(String databaseUrl) {
            var uri = URI.create(databaseUrl);
            String[] credentials = (uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo()).split(":", 2);
            int port = uri.getPort() < 0 ? 5432 : uri.getPort();
            String query = Encryption.of(databaseUrl).jdbcQuery(SocketFolder.jdbcQuery(databaseUrl, port));
            return new Jdbc(
                    "jdbc:postgresql://%s:%d%s%s".formatted(uri.getHost(), port, uri.getPath(), query),
                    URLDecoder.decode(credentials[0], StandardCharsets.UTF_8),
                    credentials.length > 1 ? URLDecoder.decode(credentials[1], StandardCharsets.UTF_8) : "");
        }
    }
}
