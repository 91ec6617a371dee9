package ai.molecule.registry.people;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.registry.people.Account.Grant;
import ai.molecule.registry.people.Account.Identity;
import ai.molecule.registry.people.PgPeopleStore.Coming;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The rules about people. When a change completes, nobody believes an older verdict on them. */
public record PeopleService(
        PgPeopleStore store, PgPersonTokenStore tokens, Passwords passwords, TokenService verdicts, Clock clock) {

    public static final int PEOPLE_MAX = 10_000;

    /** Of one person, for programs. */
    public static final int TOKENS_MAX = 50;

    private static final Duration LINK_LIFE = Duration.ofDays(7);
    private static final Duration FIRST_OWNERS_LINK_LIFE = Duration.ofHours(24);
    private static final Duration ENDED_TOKENS_KEPT = Duration.ofDays(30);

    /** @param link in clear, this once */
    public record Linked(String link, Instant expiresAt) {}

    record Invited(Account account, Linked link) {}

    /** A token in clear, this once. */
    public record Minted(PersonToken description, String token) {}

    Future<List<Account>> list() {
        return store.list(PEOPLE_MAX);
    }

    /** Fails with NOT_FOUND for nobody. */
    public Future<Account> get(UUID id) {
        return store.find(id).map(found -> found.orElseThrow(PgPeopleStore::nobody));
    }

    public Future<Boolean> hasOwner() {
        return store.hasOwner();
    }

    /** Whether anybody is known here. */
    public Future<Boolean> hasAny() {
        return store.list(1).map(found -> !found.isEmpty());
    }

    Future<Invited> invite(String login, String name, List<Grant> roles) {
        var account = new Account(UUID.randomUUID(), login, name, null, null, false, clock.instant(), null, roles);
        return store.insert(account, PEOPLE_MAX)
                .compose(made -> link(account.id()))
                .map(link -> new Invited(account, link));
    }

    /** A new one; whoever comes by it chooses how to sign in, and every other session, token and chat of that person ends. */
    Future<Linked> link(UUID person) {
        return link(person, LINK_LIFE);
    }

    /** For whoever becomes the first owner; CONFLICT when there is one. */
    Future<Linked> linkForFirstOwner() {
        return link(null, FIRST_OWNERS_LINK_LIFE);
    }

    private Future<Linked> link(@Nullable UUID person, Duration life) {
        var now = clock.instant();
        var linked = new Linked(Tokens.mint(), now.plus(life));
        return store.link(linked.link, person, now, linked.expiresAt).map(linked);
    }

    /**
     * Somebody comes by a link, with a password.
     *
     * @param login of the first owner; others have one
     */
    Future<Account> accept(String link, @Nullable String login, @Nullable String name, String password) {
        var founder = login == null || name == null ? null : founder(login, name);
        byte[] linkHash = Tokens.hash(link);
        Passwords.checked(password);
        return store.hasLink(linkHash, clock.instant())
                .compose(works -> works // hashing costs, so a guess at a link has none done
                        ? passwords.hash(password)
                        : Future.failedFuture(PgPeopleStore.noLink()))
                .compose(hash -> accept(linkHash, founder, new Coming.WithPassword(hash)));
    }

    /** The same with an identity at a provider, by the link's hash. */
    public Future<Account> accept(byte[] linkHash, @Nullable String login, @Nullable String name, Identity identity) {
        var founder = login == null ? null : founder(login, name == null ? login : name);
        return accept(linkHash, founder, new Coming.WithIdentity(identity));
    }

    private Future<Account> accept(byte[] linkHash, @Nullable Account founder, Coming comes) {
        return store.accept(linkHash, founder, comes, clock.instant(), PEOPLE_MAX)
                .compose(account -> verdicts.organisationChanged().map(account))
                .map(PeopleService::enabled);
    }

    private Account founder(String login, String name) {
        var owner = List.of(Grant.ofOrganisation(Role.OWNER));
        return new Account(
                UUID.randomUUID(),
                Account.login(login),
                Account.name(name),
                null,
                null,
                false,
                clock.instant(),
                null,
                owner);
    }

    /** Fails with UNAUTHENTICATED for every pair that is not somebody's, and takes as long for any. */
    public Future<Account> signIn(String login, String password) {
        return store.findByLogin(login)
                .compose(found -> passwords
                        .matches(password, found.map(Account::passwordHash).orElse(null))
                        .map(right -> found.filter(account -> right && !account.disabled())
                                .orElseThrow(() -> ApiError.unauthenticated("invalid login or password"))));
    }

    /** The id of a browser that signed in with this account's present password before, by the cookie it shows; empty for every other one. */
    public Future<Optional<String>> browser(String login, @Nullable String cookie) {
        return cookie == null
                ? Future.succeededFuture(Optional.empty())
                : store.findByLogin(login).map(found -> found.flatMap(account -> KnownBrowser.find(cookie, account)));
    }

    /** A new cookie by which {@link #browser} knows one that has just signed in; empty for an account without a password. */
    public Future<Optional<String>> cookieOfBrowser(UUID id) {
        return get(id).map(account -> Optional.ofNullable(account.passwordHash())
                .map(passwordHash -> KnownBrowser.cookie(account, passwordHash)));
    }

    /** Whom a provider vouches for. An invited person that has not come yet is also known by its address. */
    public Future<Optional<Account>> find(Identity identity, Optional<String> verifiedEmail) {
        return store.findByIdentity(identity).compose(found -> {
            if (found.isPresent() || verifiedEmail.isEmpty()) {
                return Future.succeededFuture(found.filter(account -> !account.disabled()));
            }
            return store.findByLogin(verifiedEmail.get())
                    .map(invited -> invited.filter(account -> !account.disabled() && !account.hasCome()))
                    .compose(invited -> invited.isEmpty()
                            ? Future.succeededFuture(invited)
                            : store.identify(invited.get().id(), identity).map(invited));
        });
    }

    public Future<Void> signedIn(UUID id) {
        return store.signedIn(id, clock.instant());
    }

    Future<Account> change(UUID id, Function<Account, Account> change) {
        return store.change(id, change)
                .compose(account -> verdicts.organisationChanged().map(account));
    }

    Future<Void> remove(UUID id) {
        return store.remove(id).compose(removed -> verdicts.organisationChanged());
    }

    /** Ends all sessions, that of whoever asks too, and the tokens where asked; answers how many tokens stay. Fails with FORBIDDEN for a wrong old one. */
    Future<Integer> changePassword(UUID id, String old, String fresh, boolean tokensToo) {
        Passwords.checked(fresh);
        return get(id).compose(account -> passwords.matches(old, account.passwordHash()))
                .compose(right -> right
                        ? passwords.hash(fresh)
                        : Future.failedFuture(ApiError.forbidden("the old password is another one")))
                .compose(hash -> store.setPassword(id, hash, tokensToo, clock.instant()))
                .compose(set -> verdicts.organisationChanged())
                .compose(told -> tokens(id))
                .map(List::size);
    }

    Future<List<PersonToken>> tokens(UUID person) {
        return tokens.list(person, clock.instant(), TOKENS_MAX);
    }

    /** @param branch where it opens anything; null for wherever the person has a role */
    Future<Minted> mint(UUID person, String name, Role role, @Nullable UUID branch, Duration life) {
        var minted = described(name, role, branch, life, clock.instant());
        return tokens.insert(person, minted.description, minted.token, TOKENS_MAX)
                .map(minted);
    }

    /** One that is yet to be stored. */
    public static Minted described(String name, Role role, @Nullable UUID branch, Duration life, Instant now) {
        String token = Tokens.mint();
        return new Minted(
                new PersonToken(UUID.randomUUID(), Tokens.prefix(token), name, role, branch, now, now.plus(life), null),
                token);
    }

    /** Fails with NOT_FOUND when the person has no such live token. */
    Future<Void> revoke(UUID person, UUID token) {
        return tokens.revoke(person, token, clock.instant())
                .compose(revoked -> revoked
                        ? verdicts.organisationChanged()
                        : Future.failedFuture(ApiError.notFound("token not found or already revoked")));
    }

    /** The token that is shown; one that is over already stays so. */
    Future<Void> revokeShown(String token) {
        return tokens.revoke(token, clock.instant())
                .compose(revoked -> revoked ? verdicts.organisationChanged() : Future.succeededFuture());
    }

    public Future<Void> sweep() {
        var now = clock.instant();
        return store.forgetLinks(now).compose(forgotten -> tokens.forget(now.minus(ENDED_TOKENS_KEPT)));
    }

    private static Account enabled(Account account) {
        if (account.disabled()) {
            throw ApiError.unauthenticated("this account is disabled");
        }
        return account;
    }
}
