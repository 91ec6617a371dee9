package ai.molecule.registry.people;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.MayAct;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.registry.people.Account.Grant;
import ai.molecule.registry.people.Account.Identity;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.tokens.PgTokenStore;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** People with their roles, in {@code people}, {@code people_roles} and {@code people_tenants}, and the links by which they come, in {@code people_links}. */
public record PgPeopleStore(Database database) {

    private static final String SELECT = """
            SELECT people.*, (SELECT coalesce(jsonb_agg(jsonb_build_object('branch', branch, 'tenant', tenant, 'role', role)
                    ORDER BY tenant NULLS FIRST, branch NULLS FIRST), '[]')
                FROM (SELECT branch, NULL AS tenant, role FROM people_roles WHERE person_id = people.id
                    UNION ALL SELECT NULL, tenant, role FROM people_tenants WHERE person_id = people.id) AS granted)::text AS roles
            FROM people
            """;

    private static final String LIST = SELECT + " ORDER BY name, id LIMIT $1";
    private static final String BY_ID = SELECT + " WHERE id = $1";
    private static final String BY_LOGIN = SELECT + " WHERE login = $1";
    private static final String BY_IDENTITY = SELECT + " WHERE issuer = $1 AND subject = $2";

    /** Whoever changes who rules comes one after the other, so that no two of them take away the last owner together. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtext('people'))";

    private static final String OWNER_EXISTS = """
            SELECT EXISTS (SELECT 1 FROM people JOIN people_roles ON person_id = id
                WHERE branch IS NULL AND role = 'owner' AND NOT disabled AND (password_hash IS NOT NULL OR subject IS NOT NULL))
            """;

    private static final String INSERT = """
            INSERT INTO people (id, login, name, created_at)
            SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM people) < $5
            ON CONFLICT (login) DO NOTHING
            """;

    private static final String FULL = "SELECT count(*) >= $1 FROM people";

    private static final String GRANT = """
            INSERT INTO people_roles (person_id, branch, role) SELECT $1, branch, role FROM unnest($2::uuid[], $3::text[]) AS granted (branch, role)
            """;

    private static final String GRANT_TENANTS = """
            INSERT INTO people_tenants (person_id, tenant, role) SELECT $1, tenant, role FROM unnest($2::text[], $3::text[]) AS granted (tenant, role)
            """;

    private static final String REVOKE_ALL = "DELETE FROM people_roles WHERE person_id = $1";
    private static final String REVOKE_TENANTS = "DELETE FROM people_tenants WHERE person_id = $1";

    private static final String UNKNOWN_BRANCHES = """
            SELECT count(*) FROM unnest($1::uuid[]) AS named (id)
            WHERE named.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM workspaces WHERE workspaces.id = named.id AND status <> 'removed')
            """;

    private static final String CHANGE = "UPDATE people SET name = $2, disabled = $3 WHERE id = $1";
    private static final String REMOVE = "DELETE FROM people WHERE id = $1";
    private static final String SET_PASSWORD = "UPDATE people SET password_hash = $2 WHERE id = $1";
    private static final String SET_IDENTITY = "UPDATE people SET issuer = $2, subject = $3 WHERE id = $1";

    private static final String MAY_ACT = """
            SELECT may_act(person, workspace) AS may
            FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS asked (person, workspace, n) ORDER BY n
            """;

    /** Whoever comes by a link signs in as it chose, and in no other way: the other one may be an intruder's. */
    private static final String COME_WITH_PASSWORD =
            "UPDATE people SET password_hash = $2, issuer = NULL, subject = NULL WHERE id = $1";

    private static final String COME_WITH_IDENTITY =
            "UPDATE people SET issuer = $2, subject = $3, password_hash = NULL WHERE id = $1";

    private static final String SIGNED_IN = "UPDATE people SET signed_in_at = $2 WHERE id = $1";
    private static final String END_SESSIONS = "DELETE FROM sessions WHERE person_id = $1";
    private static final String END_DEVICE_GRANTS = "DELETE FROM devices WHERE person_id = $1";
    private static final String END_CHAT_CODES = "DELETE FROM chat_codes WHERE person_id = $1";
    private static final String END_LINK = "DELETE FROM people_links WHERE person_id = $1";

    private static final String END_TOKENS = """
            UPDATE person_tokens SET revoked_at = $2 WHERE person_id = $1 AND revoked_at IS NULL AND expires_at > $2
            """;

    /** An earlier link to the same end is over. */
    private static final String LINK = """
            WITH earlier AS (DELETE FROM people_links WHERE person_id IS NOT DISTINCT FROM $2)
            INSERT INTO people_links (token_hash, person_id, created_at, expires_at) VALUES ($1, $2, $3, $4)
            """;

    /** Of two that come with it one finds it. */
    private static final String TAKE_LINK =
            "DELETE FROM people_links WHERE token_hash = $1 AND expires_at > $2 RETURNING person_id";

    private static final String HAS_LINK =
            "SELECT EXISTS (SELECT 1 FROM people_links WHERE token_hash = $1 AND expires_at > $2)";

    private static final String FORGET_LINKS = "DELETE FROM people_links WHERE expires_at < $1";

    public Future<List<Account>> list(int limit) {
        return database.list(LIST, Tuple.of(limit), PgPeopleStore::toAccount);
    }

    public Future<Optional<Account>> find(UUID id) {
        return find(database, id);
    }

    public Future<Optional<Account>> findByLogin(String login) {
        return database.find(BY_LOGIN, Tuple.of(login), PgPeopleStore::toAccount);
    }

    public Future<Optional<Account>> findByIdentity(Identity identity) {
        return database.find(BY_IDENTITY, Tuple.of(identity.issuer(), identity.subject()), PgPeopleStore::toAccount);
    }

    /** Serves {@link MayAct}. */
    public Future<MayAct.Answers> mayAct(MayAct question) {
        var asked = question.asked();
        return database.list(
                        MAY_ACT,
                        Tuple.tuple()
                                .addArrayOfUUID(Sql.column(asked, MayAct.Asked::person, UUID[]::new))
                                .addArrayOfUUID(Sql.column(asked, MayAct.Asked::workspace, UUID[]::new)),
                        row -> row.getBoolean("may"))
                .map(MayAct.Answers::new);
    }

    /** Whether somebody can sign in who rules over all. */
    public Future<Boolean> hasOwner() {
        return database.get(OWNER_EXISTS, Tuple.tuple(), row -> row.getBoolean(0));
    }

    /** Fails with CONFLICT for a login that is taken, RATE_LIMITED when there are {@code most}, and INVALID for a branch that is none. */
    public Future<Void> insert(Account account, int most) {
        return alone(transaction -> insert(transaction, account, most));
    }

    private static Future<Void> insert(Sql transaction, Account account, int most) {
        return transaction
                .changes(
                        INSERT,
                        Tuple.of(
                                account.id(),
                                account.login(),
                                account.name(),
                                PgValues.time(account.createdAt()),
                                most))
                .compose(inserted -> inserted
                        ? grant(transaction, account.id(), account.roles())
                        : transaction
                                .get(FULL, Tuple.of(most), row -> row.getBoolean(0))
                                .compose(full -> Future.failedFuture(
                                        full
                                                ? new ApiError(
                                                        ApiError.Kind.RATE_LIMITED, "at most %d people".formatted(most))
                                                : ApiError.conflict("login is taken"))));
    }

    /**
     * Changes one as {@code change} says; its sessions end where it is disabled. Fails with NOT_FOUND for nobody, and with CONFLICT where no
     * owner would be left.
     */
    public Future<Account> change(UUID id, Function<Account, Account> change) {
        return alone(transaction -> get(transaction, id).compose(before -> {
            var after = change.apply(before);
            var roles = after.roles().equals(before.roles())
                    ? Future.<Void>succeededFuture()
                    : revokeAll(transaction, id).compose(revoked -> grant(transaction, id, after.roles()));
            return roles.compose(granted -> transaction.run(CHANGE, Tuple.of(id, after.name(), after.disabled())))
                    .compose(changed -> after.disabled() ? endSessions(transaction, id) : Future.succeededFuture(false))
                    .compose(changed -> PgTokenStore.endWithoutRight(transaction, id))
                    .compose(ended -> keepAnOwner(transaction, before))
                    .map(after);
        }));
    }

    /** As {@link #change}, for one that goes with all that is its own. */
    public Future<Void> remove(UUID id) {
        return alone(transaction -> get(transaction, id)
                .compose(before -> transaction
                        .run(END_SESSIONS, Tuple.of(id)) // grants, tokens and links go with the person
                        .compose(ended -> revokeAll(transaction, id))
                        .compose(revoked -> PgTokenStore.endWithoutRight(transaction, id))
                        .compose(ended -> transaction.run(REMOVE, Tuple.of(id)))
                        .compose(removed -> keepAnOwner(transaction, before))));
    }

    /** @param person null for whoever becomes the first owner: then CONFLICT when there is one */
    public Future<Void> link(String token, @Nullable UUID person, Instant now, Instant expiresAt) {
        return alone(transaction -> (person == null
                        ? requireNoOwner(transaction)
                        : get(transaction, person).<Void>mapEmpty())
                .compose(may -> transaction.run(
                        LINK, Tuple.of(hash(token), person, PgValues.time(now), PgValues.time(expiresAt)))));
    }

    /**
     * Takes a link, and has whoever came by it sign in as {@code comes} says and in no other way; all sessions, tokens, chats and grants of
     * that person end. Fails with NOT_FOUND for a link that is none any more.
     *
     * @param founder who becomes the first owner where the link is for nobody yet
     */
    public Future<Account> accept(byte[] linkHash, @Nullable Account founder, Coming comes, Instant now, int most) {
        return alone(transaction -> transaction
                .find(
                        TAKE_LINK,
                        Tuple.of(Buffer.buffer(linkHash), PgValues.time(now)),
                        row -> Optional.ofNullable(row.getUUID("person_id")))
                .map(found -> found.orElseThrow(PgPeopleStore::noLink))
                .compose(invited ->
                        invited.isPresent() ? Future.succeededFuture(invited.get()) : found(transaction, founder, most))
                .compose(id -> come(transaction, id, comes)
                        .compose(come -> endSessions(transaction, id))
                        .compose(ended -> transaction.run(END_TOKENS, Tuple.of(id, PgValues.time(now))))
                        .compose(ended -> get(transaction, id))));
    }

    /** Whether it still works, without taking it. */
    public Future<Boolean> hasLink(byte[] linkHash, Instant now) {
        return database.get(HAS_LINK, Tuple.of(Buffer.buffer(linkHash), PgValues.time(now)), row -> row.getBoolean(0));
    }

    /** How somebody signs in from now on. */
    public sealed interface Coming {

        record WithPassword(String hash) implements Coming {}

        record WithIdentity(Identity identity) implements Coming {}
    }

    private static Future<UUID> found(Sql transaction, @Nullable Account founder, int most) {
        if (founder == null) {
            throw ApiError.invalid("the first owner says a login and a name");
        }
        return requireNoOwner(transaction)
                .compose(none -> insert(transaction, founder, most))
                .map(founder.id());
    }

    private static Future<Void> come(Sql transaction, UUID id, Coming coming) {
        return switch (coming) {
            case Coming.WithPassword password -> transaction.run(COME_WITH_PASSWORD, Tuple.of(id, password.hash()));
            case Coming.WithIdentity identity ->
                transaction.run(
                        COME_WITH_IDENTITY,
                        Tuple.of(
                                id,
                                identity.identity().issuer(),
                                identity.identity().subject()));
        };
    }

    /**
     * With this password from now on, no other session, and no link or grant that one of them made; the one that asks signs in again.
     *
     * @param tokensToo whether its tokens and chats end as well
     */
    public Future<Void> setPassword(UUID id, String hash, boolean tokensToo, Instant now) {
        return alone(transaction -> transaction
                .run(SET_PASSWORD, Tuple.of(id, hash))
                .compose(set -> endSessions(transaction, id))
                .compose(ended -> transaction.run(END_LINK, Tuple.of(id)))
                .compose(ended -> tokensToo
                        ? transaction.run(END_TOKENS, Tuple.of(id, PgValues.time(now)))
                        : Future.succeededFuture()));
    }

    /**
     * Within a transaction: all sessions of a person, and what they granted that is not a token yet. Grants go first: whoever redeems one at
     * this moment is waited for, so that its token is there for whoever revokes tokens next.
     */
    public static Future<Boolean> endSessions(Sql transaction, UUID id) {
        return transaction
                .run(END_DEVICE_GRANTS, Tuple.of(id))
                .compose(ended -> transaction.run(END_CHAT_CODES, Tuple.of(id)))
                .compose(ended -> transaction.changes(END_SESSIONS, Tuple.of(id)));
    }

    /** For one that has not come yet, and is known to a provider by its address. */
    public Future<Void> identify(UUID id, Identity identity) {
        return database.run(SET_IDENTITY, Tuple.of(id, identity.issuer(), identity.subject()));
    }

    public Future<Void> signedIn(UUID id, Instant now) {
        return database.run(SIGNED_IN, Tuple.of(id, PgValues.time(now)));
    }

    public Future<Void> forgetLinks(Instant now) {
        return database.run(FORGET_LINKS, Tuple.of(PgValues.time(now)));
    }

    private <T> Future<T> alone(Function<Sql, Future<T>> work) {
        return database.transaction(transaction -> transaction.run(LOCK).compose(locked -> work.apply(transaction)));
    }

    private static Future<Void> revokeAll(Sql transaction, UUID id) {
        return transaction
                .run(REVOKE_ALL, Tuple.of(id))
                .compose(revoked -> transaction.run(REVOKE_TENANTS, Tuple.of(id)));
    }

    /** A tenant need not have a root yet. */
    private static Future<Void> grant(Sql transaction, UUID id, List<Grant> roles) {
        var ofTenants = roles.stream().filter(grant -> grant.tenant() != null).toList();
        var others = roles.stream().filter(grant -> grant.tenant() == null).toList();
        var branches = Sql.column(others, Grant::branch, UUID[]::new);
        return transaction
                .get(UNKNOWN_BRANCHES, Tuple.of(branches), row -> row.getLong(0))
                .compose(unknown -> unknown > 0
                        ? Future.failedFuture(ApiError.invalid("branch must be the id of a workspace"))
                        : transaction.run(GRANT, Tuple.of(id, branches, rolesOf(others))))
                .compose(granted -> ofTenants.isEmpty()
                        ? Future.succeededFuture()
                        : transaction.run(
                                GRANT_TENANTS,
                                Tuple.of(id, Sql.column(ofTenants, Grant::tenant, String[]::new), rolesOf(ofTenants))));
    }

    private static String[] rolesOf(List<Grant> grants) {
        return Sql.column(grants, grant -> grant.role().wire(), String[]::new);
    }

    private static Future<Void> keepAnOwner(Sql transaction, Account before) {
        return before.isOwner()
                ? transaction
                        .get(OWNER_EXISTS, Tuple.tuple(), row -> row.getBoolean(0))
                        .compose(stays -> stays
                                ? Future.succeededFuture()
                                : Future.failedFuture(ApiError.conflict("the last owner stays")))
                : Future.succeededFuture();
    }

    private static Future<Void> requireNoOwner(Sql transaction) {
        return transaction
                .get(OWNER_EXISTS, Tuple.tuple(), row -> row.getBoolean(0))
                .compose(exists -> exists
                        ? Future.failedFuture(ApiError.conflict("there is an owner already"))
                        : Future.succeededFuture());
    }

    private static Future<Account> get(Sql sql, UUID id) {
        return find(sql, id).map(found -> found.orElseThrow(PgPeopleStore::nobody));
    }

    private static Future<Optional<Account>> find(Sql sql, UUID id) {
        return sql.find(BY_ID, Tuple.of(id), PgPeopleStore::toAccount);
    }

    static ApiError nobody() {
        return ApiError.notFound("person not found");
    }

    static ApiError noLink() {
        return ApiError.notFound("this link is used up, over, or none");
    }

    private static Buffer hash(String token) {
        return Buffer.buffer(Tokens.hash(token));
    }

    private static Account toAccount(Row row) {
        var roles = new ArrayList<Grant>();
        for (var grant : Json.stored(row.getString("roles"))) {
            var branch = grant.path("branch");
            roles.add(new Grant(
                    branch.isTextual() ? UUID.fromString(branch.textValue()) : null,
                    grant.path("tenant").textValue(),
                    Role.find(grant.path("role").asText()).orElseThrow()));
        }
        @Nullable String issuer = row.getString("issuer");
        return new Account(
                row.getUUID("id"),
                row.getString("login"),
                row.getString("name"),
                row.getString("password_hash"),
                issuer == null ? null : new Identity(issuer, row.getString("subject")),
                row.getBoolean("disabled"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                PgValues.instant(row, "signed_in_at"),
                List.copyOf(roles));
    }
}
