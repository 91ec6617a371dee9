package ai.molecule.registry.chats;

import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.db.Database;
import ai.molecule.registry.people.PeopleService;
import ai.molecule.registry.people.PgPersonTokenStore;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code chat_codes} (db/registry/V155__chat_codes.sql). */
public record PgChatCodeStore(Database database) {

    /** A person's newest code is the only one. */
    private static final String PUT = """
            INSERT INTO chat_codes (person_id, code_hash, role, branch, days, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (person_id) DO UPDATE SET code_hash = excluded.code_hash, role = excluded.role, branch = excluded.branch,
                days = excluded.days, expires_at = excluded.expires_at
            """;

    private static final String FIND = """
            SELECT people.login FROM chat_codes JOIN people ON people.id = chat_codes.person_id
            WHERE code_hash = $1 AND expires_at > $2 AND NOT people.disabled
            """;

    /** Of two that say it at once one finds it. */
    private static final String TAKE = "DELETE FROM chat_codes WHERE code_hash = $1 AND expires_at > $2 RETURNING *";

    private static final String FORGET = "DELETE FROM chat_codes WHERE expires_at <= $1";

    Future<Void> put(UUID person, String code, Role role, @Nullable UUID branch, Duration life, Instant expiresAt) {
        return database.run(
                PUT, Tuple.of(person, hash(code), role.wire(), branch, (int) life.toDays(), PgValues.time(expiresAt)));
    }

    /** Whose it is. */
    Future<Optional<String>> find(String code, Instant now) {
        return database.find(FIND, Tuple.of(hash(code), PgValues.time(now)), row -> row.getString("login"));
    }

    /** Makes it a token of the person's, that nobody has in clear, and answers that one's hash; null where another was first. */
    Future<@Nullable String> take(String code, String name, Instant now) {
        return database.transaction(transaction -> transaction
                .find(TAKE, Tuple.of(hash(code), PgValues.time(now)), row -> row)
                .compose(found -> {
                    if (found.isEmpty()) {
                        return Future.succeededFuture();
                    }
                    var row = found.get();
                    var minted = PeopleService.described(
                            name,
                            Role.find(row.getString("role")).orElseThrow(),
                            row.getUUID("branch"),
                            Duration.ofDays(row.getInteger("days")),
                            now);
                    return PgPersonTokenStore.insert(
                                    transaction,
                                    row.getUUID("person_id"),
                                    minted.description(),
                                    minted.token(),
                                    PeopleService.TOKENS_MAX)
                            .map(Base64.getEncoder().encodeToString(Tokens.hash(minted.token())));
                }));
    }

    public Future<Void> forget(Instant now) {
        return database.run(FORGET, Tuple.of(PgValues.time(now)));
    }

    private static Buffer hash(String code) {
        return Buffer.buffer(Tokens.hash(code));
    }
}
