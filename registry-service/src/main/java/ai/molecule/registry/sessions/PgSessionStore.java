package ai.molecule.registry.sessions;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.db.Database;
import ai.molecule.registry.people.PgPeopleStore;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.sessions.SessionService.Sitting;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** The table {@code sessions}. Tokens come in clear; only their hashes are kept. */
public record PgSessionStore(Database database) {

    private static final int SHOWN_OF_HASH = 4;

    /** Keys are fresh; of the others only the newest stay, so that nobody fills the table. */
    private static final String INSERT = """
            WITH crowded AS (
                DELETE FROM sessions
                WHERE token_hash IN (SELECT token_hash FROM sessions WHERE person_id IS NULL ORDER BY created_at DESC OFFSET $5)
            )
            INSERT INTO sessions (token_hash, made_with, created_at, expires_at) VALUES ($1, $2, $3, $4)
            """;

    /** As above, of one person. */
    private static final String INSERT_OF_PERSON = """
            WITH crowded AS (
                DELETE FROM sessions
                WHERE token_hash IN (SELECT token_hash FROM sessions WHERE person_id = $4 ORDER BY created_at DESC OFFSET $9)
            )
            INSERT INTO sessions (token_hash, made_with, created_at, expires_at, person_id, address, agent, provider, id_token,
                provider_sid)
            VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8, $10)
            """;

    private static final String FIND = """
            SELECT expires_at, person_id, provider, id_token FROM sessions WHERE token_hash = $1 AND expires_at > $2
            """;

    private static final String LIST = """
            SELECT * FROM sessions WHERE person_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id
            """;

    /** Of two racing ends one finds the row. */
    private static final String END = "DELETE FROM sessions WHERE token_hash = $1";

    private static final String END_OF_PERSON = "DELETE FROM sessions WHERE person_id = $1 AND id = $2";

    /** Of two that show the same token one stores it. */
    private static final String TAKE_LOGOUT = """
            INSERT INTO logout_tokens (token_hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING
            """;

    /** Where the provider named no session when somebody signed in, the person alone tells which it is. */
    private static final String END_AT_PROVIDER = """
            DELETE FROM sessions USING people
            WHERE people.id = sessions.person_id AND sessions.provider = $1 AND people.issuer = $2
                AND ($3::text IS NULL OR people.subject = $3)
                AND ($4::text IS NULL OR sessions.provider_sid = $4 OR (sessions.provider_sid IS NULL AND $3::text IS NOT NULL))
            """;

    private static final String FORGET_LOGOUTS = "DELETE FROM logout_tokens WHERE expires_at <= $1";

    private static final String END_OVER =
            "DELETE FROM sessions WHERE expires_at <= $1 OR (person_id IS NULL AND made_with <> $2)";

    Future<Void> insert(String token, int madeWith, Instant now, Instant expiresAt, int othersMax) {
        return database.run(
                INSERT, Tuple.of(hash(token), madeWith, PgValues.time(now), PgValues.time(expiresAt), othersMax));
    }

    Future<Void> insert(String token, UUID person, Sitting sitting, Instant now, Instant expiresAt, int othersMax) {
        return database.run(
                INSERT_OF_PERSON,
                Tuple.of(
                        hash(token),
                        PgValues.time(now),
                        PgValues.time(expiresAt),
                        person,
                        sitting.address(),
                        sitting.agent(),
                        sitting.provider(),
                        sitting.idToken(),
                        othersMax,
                        sitting.providerSession()));
    }

    Future<Optional<SessionService.Held>> find(String token, Instant now) {
        return database.find(
                FIND,
                Tuple.of(hash(token), PgValues.time(now)),
                row -> new SessionService.Held(
                        Objects.requireNonNull(PgValues.instant(row, "expires_at")),
                        row.getUUID("person_id"),
                        row.getString("provider"),
                        row.getString("id_token")));
    }

    Future<List<PersonSession>> list(UUID person, Instant now) {
        return database.list(LIST, Tuple.of(person, PgValues.time(now)), PgSessionStore::toSession);
    }

    /** False when there was none. */
    Future<Boolean> end(String token) {
        return database.changes(END, Tuple.of(hash(token)));
    }

    /** False when there was none. */
    Future<Boolean> end(UUID person, UUID id) {
        return database.changes(END_OF_PERSON, Tuple.of(person, id));
    }

    /** All of that person, and what they granted that is not a token yet; false when there was no session. */
    Future<Boolean> endAll(UUID person) {
        return database.transaction(transaction -> PgPeopleStore.endSessions(transaction, person));
    }

    /** Whether one ended; empty for a token that was taken before. */
    Future<Optional<Boolean>> endAt(ProviderLogout logout, byte[] tokenHash) {
        return database.transaction(transaction -> transaction
                .changes(TAKE_LOGOUT, Tuple.of(Buffer.buffer(tokenHash), PgValues.time(logout.until())))
                .compose(fresh -> fresh
                        ? transaction
                                .changes(
                                        END_AT_PROVIDER,
                                        Tuple.of(logout.provider(), logout.issuer())
                                                .addString(logout.subject())
                                                .addString(logout.session()))
                                .map(Optional::of)
                        : Future.succeededFuture(Optional.empty())));
    }

    Future<Void> forgetLogouts(Instant now) {
        return database.run(FORGET_LOGOUTS, Tuple.of(PgValues.time(now)));
    }

    /** Ends those whose time is over and those that another {@code ADMIN_TOKEN} made; false when there were none. */
    Future<Boolean> endOver(int madeWith, Instant now) {
        return database.changes(END_OVER, Tuple.of(PgValues.time(now), madeWith));
    }

    private static PersonSession toSession(Row row) {
        byte[] hash = row.getBuffer("token_hash").getBytes();
        return new PersonSession(
                row.getUUID("id"),
                HexFormat.of().formatHex(hash, 0, SHOWN_OF_HASH),
                row.getString("address"),
                row.getString("agent"),
                row.getString("provider"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                Objects.requireNonNull(PgValues.instant(row, "expires_at")));
    }

    private static Buffer hash(String token) {
        return Buffer.buffer(Tokens.hash(token));
    }
}
