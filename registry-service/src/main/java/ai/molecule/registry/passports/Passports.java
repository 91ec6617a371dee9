package ai.molecule.registry.passports;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.CheckPassport.Checked;
import ai.molecule.common.bus.registry.CheckPassport.Standing;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.bus.registry.IssuePassport.Issued;
import ai.molecule.common.workspaces.AccessRule;
import ai.molecule.registry.discovery.Location;
import ai.molecule.registry.discovery.PgDiscoveryStore;
import ai.molecule.registry.keys.Issuer;
import ai.molecule.registry.keys.SignatureCheck;
import ai.molecule.registry.passports.Passport.Party;
import ai.molecule.registry.passports.Passport.Wish;
import ai.molecule.registry.passports.Revocation.Kind;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Issues passports, and remembers each for a moment: whoever asks for the same again gets the same. Whether the two may talk is asked each
 * time, in the same statement that reads their names.
 */
public final class Passports {

    static final String TYPE = "molecule-passport+jwt";

    /** What fits into a header beside others; a longer one is refused before it is signed. */
    private static final int TOKEN_MAX_CHARS = 4_096;

    private static final Duration REMEMBERED = Duration.ofMinutes(5);

    private static final int LISTED_MAX = 200;

    /** At most 10 KB each. */
    private static final int REMEMBERED_MAX = 5_000;

    private record Question(IssuePassport asked, String callerName, String targetName) {}

    private final Issuer issuer;
    private final SignatureCheck signatures;
    private final PgDiscoveryStore places;
    private final PgRevocationStore revocations;
    private final PgRecentAskers askers;
    private final Runnable revoked;
    private final int depthMax;
    private final Clock clock;
    private final Cache<Question, Issued> issued = Caffeine.newBuilder()
            .maximumSize(REMEMBERED_MAX)
            .expireAfterWrite(REMEMBERED)
            .executor(Runnable::run)
            .build();

    /**
     * @param askers told for whom each was issued
     * @param revoked told when some were
     * @param depthMax how many agents may be asked one by another
     */
    public Passports(
            Issuer issuer,
            PgDiscoveryStore places,
            PgRevocationStore revocations,
            PgRecentAskers askers,
            Runnable revoked,
            int depthMax,
            Clock clock) {
        this.issuer = issuer;
        this.signatures = new SignatureCheck(issuer.keys());
        this.places = places;
        this.revocations = revocations;
        this.askers = askers;
        this.revoked = revoked;
        this.depthMax = depthMax;
        this.clock = clock;
    }

    /** Serves {@link IssuePassport}. */
    public Future<Issued> issue(IssuePassport asked) {
        return Future.succeededFuture(asked.parent())
                .map(parent -> parent == null ? null : passport(parent))
                .compose(parent -> isRevoked(asked, parent))
                .compose(over -> over ? Future.failedFuture(revokedOne()) : issueOne(asked));
    }

    private Future<Boolean> isRevoked(IssuePassport asked, @Nullable Passport parent) {
        String principal = asked.principal();
        return parent == null
                ? revocations.isRevoked(List.of(), asked.work(), principal == null ? "" : principal, thisSecond())
                : revocations.isRevoked(
                        parent.ids(),
                        parent.work() == null ? asked.work() : parent.work(),
                        parent.principal().id(),
                        parent.issuedAt());
    }

    private Instant thisSecond() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    private static ApiError revokedOne() {
        return ApiError.forbidden("the passport was revoked");
    }

    /** Serves {@link CheckPassport}. */
    public Future<Checked> check(CheckPassport asked) {
        Passport passport;
        try {
            passport = passport(asked.token());
        } catch (ApiError none) {
            return Future.succeededFuture(Checked.NONE);
        }
        if (!passport.audience().id().equals(asked.holder().toString())) {
            return Future.succeededFuture(Checked.NONE);
        }
        return revocations
                .isRevoked(passport.ids(), passport.work(), passport.principal().id(), passport.issuedAt())
                .map(over -> new Checked(
                        over
                                ? Standing.REVOKED
                                : clock.instant().isBefore(passport.expiresAt()) ? Standing.HOLDS : Standing.OVER,
                        passport.id(),
                        passport.principal().id()));
    }

    /** From now on, and everywhere at once where the platform is asked. Fails with INSUFFICIENT_STORAGE where too many are kept. */
    Future<Revocation> revoke(Kind kind, String value, String reason, String revokedBy) {
        return revocations
                .add(UUID.randomUUID(), kind, value, reason, revokedBy, clock.instant())
                .map(added -> added.orElseThrow(() ->
                        new ApiError(ApiError.Kind.INSUFFICIENT_STORAGE, "more revocations are kept than may be")))
                .onSuccess(added -> {
                    forget();
                    revoked.run();
                });
    }

    /** The newest 200. */
    Future<List<Revocation>> revocations() {
        return revocations.list(LISTED_MAX);
    }

    /** To be called when some were revoked. */
    public void forget() {
        issued.invalidateAll();
    }

    private Future<Issued> issueOne(IssuePassport asked) {
        var caller = asked.caller();
        return places.locate(caller == null ? List.of(asked.target()) : List.of(asked.target(), caller))
                .compose(located -> {
                    var target = located.get(asked.target());
                    if (caller != null && !caller.equals(asked.target()) && !related(caller, asked.target(), located)) {
                        throw ApiError.forbidden("access denied: workspaces cannot communicate per hierarchy rules");
                    }
                    if (target == null) {
                        throw ApiError.notFound("workspace not found");
                    }
                    var from = caller == null ? null : located.get(caller);
                    var question = new Question(asked, from == null ? "" : from.name(), target.name());
                    var known = issued.getIfPresent(question);
                    if (known != null && clock.instant().isBefore(known.expiresAt())) {
                        return Future.succeededFuture(known);
                    }
                    var made = made(asked, party(target));
                    var signed = signed(made);
                    return askers.note(asked.target(), made.principal().id(), clock.instant())
                            .onSuccess(noted -> issued.put(question, signed))
                            .map(signed);
                });
    }

    /** What one says, whoever it is for; throws FORBIDDEN for what is none. */
    public Read read(String token) {
        var passport = passport(token);
        return new Read(
                passport.id(),
                passport.says(),
                clock.instant().isBefore(passport.expiresAt()),
                passport.tools() == null ? null : List.copyOf(passport.tools()));
    }

    /**
     * A passport as it was read.
     *
     * @param holds whether its time is not over
     * @param tools that may be used; null for all
     */
    public record Read(
            UUID id, String says, boolean holds, @Nullable List<String> tools) {}

    private Passport made(IssuePassport asked, Party target) {
        var wish = new Wish(
                asked.work(), asked.delegation(), asked.budget(), asked.deadline(), asked.tools(), asked.toAsker());
        String parent = asked.parent();
        var now = clock.instant();
        if (parent == null) {
            String principal = asked.principal();
            if (principal == null) {
                throw ApiError.invalid("a passport is on somebody's behalf");
            }
            return Passport.first(UUID.randomUUID(), new Party(principal, nameOf(principal)), target, wish, now);
        }
        var handed = passport(parent);
        if (!handed.audience().id().equals(String.valueOf(asked.caller()))) {
            throw ApiError.forbidden("the passport is another workspace's");
        }
        return handed.handOn(UUID.randomUUID(), target, wish, depthMax, now);
    }

    private Issued signed(Passport made) {
        String token = issuer.passport(made.claims());
        if (token.length() > TOKEN_MAX_CHARS) {
            throw ApiError.forbidden(
                    "the passport would be longer than %d characters: allow fewer tools".formatted(TOKEN_MAX_CHARS));
        }
        return new Issued(token, made.id(), made.says(), made.budget(), made.expiresAt());
    }

    private Passport passport(String token) {
        return Passport.of(signatures.verify(token, TYPE, "passport"));
    }

    private static Party party(Location at) {
        return new Party(at.id().toString(), at.name());
    }

    /** Of a credential, what a person would call it. */
    private static String nameOf(String principal) {
        if (principal.startsWith("person:")) {
            return principal.substring("person:".length());
        }
        return principal.equals("none") ? "Somebody" : principal;
    }

    private static boolean related(UUID caller, UUID target, Map<UUID, Location> located) {
        var from = located.get(caller);
        var to = located.get(target);
        return from != null
                && to != null
                && from.trusted()
                && to.trusted()
                && AccessRule.related(caller, from.circle(), target, to.circle());
    }
}
