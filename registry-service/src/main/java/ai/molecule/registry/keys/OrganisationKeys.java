package ai.molecule.registry.keys;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which keys there are, and which of them signs now. Remembered, and read anew every 10 s: a key that another replica made is published
 * everywhere long before it signs. To be used on one event loop.
 */
public final class OrganisationKeys {

    private static final Logger LOGGER = LoggerFactory.getLogger(OrganisationKeys.class);

    /** How long what is published may be remembered by whoever fetched it. */
    static final Duration PUBLISHED_MAX_AGE = Duration.ofMinutes(1);

    /** From its publication until a key signs: every replica has read it then, and no cache has what was published before. */
    static final Duration LEAD = Duration.ofMinutes(2);

    /** How long a key is believed after another signs in its place: longer than any token it signed, and than clocks differ. */
    static final Duration OVERLAP = Duration.ofMinutes(2);

    private static final int ETAG_BYTES = 8;

    /** What is published. */
    record Published(Buffer body, String etag) {}

    private final PgOrganisationKeyStore store;
    private final Clock clock;
    private List<OrganisationKey> keys = List.of();
    private @Nullable Published published;
    private Instant publishedUntil = Instant.MIN;

    public OrganisationKeys(PgOrganisationKeyStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Reads the keys, and makes one where none signs: at the first start, or when no key of the vault opens the present one. */
    public Future<Void> load() {
        return store.sweep(clock.instant()).compose(swept -> store.list()).compose(found -> {
            take(found);
            return signing().isPresent() ? Future.<Void>succeededFuture() : makeFirst();
        });
    }

    /** Fails with UNAVAILABLE while there is none. */
    OrganisationKey signs() {
        return signing().orElseThrow(() -> ApiError.unavailable("the organisation's key is not known yet"));
    }

    /** What signs now; empty while there is none. */
    public Optional<OrganisationKey> signing() {
        var now = clock.instant();
        return keys.stream().filter(key -> key.signsAt(now)).findFirst();
    }

    /** Of any that ever was one. */
    Optional<OrganisationKey> find(String kid) {
        return keys.stream().filter(key -> key.kid().equals(kid)).findFirst();
    }

    /** Whom agents believe now, and beside them those that are retired, for what they signed once. */
    Published published() {
        var now = clock.instant();
        var known = published;
        if (known == null || !now.isBefore(publishedUntil)) {
            var body = Json.object();
            body.set("keys", Answers.array(believed(now), OrganisationKey::jwk));
            body.set(
                    "retired",
                    Answers.array(
                            keys.stream().filter(key -> !key.isBelievedAt(now)).toList(), OrganisationKey::jwk));
            var bytes = Json.buffer(body);
            known = new Published(bytes, etagOf(bytes));
            published = known;
            publishedUntil = keys.stream()
                    .map(OrganisationKey::retiresAt)
                    .filter(Objects::nonNull)
                    .filter(now::isBefore)
                    .min(Instant::compareTo)
                    .orElse(Instant.MAX);
        }
        return known;
    }

    /** Another one when other keys are published. */
    public String version() {
        return published().etag();
    }

    /**
     * Another key: published now, and signing in two minutes, when the one before is believed for another two.
     *
     * @param atOnce for a key that somebody else may have: it is believed no more, and the new one signs now
     * @return {@code {"kid", "signs_from", "retires_at"}}, the last that of those before it
     */
    Future<ObjectNode> rotate(boolean atOnce) {
        var now = clock.instant();
        var fresh = OrganisationKey.fresh(atOnce ? now : now.plus(LEAD));
        var retires = atOnce ? now : fresh.signsFrom().plus(OVERLAP);
        return store.add(
                        fresh,
                        retires,
                        now,
                        known -> !atOnce
                                        && known.stream()
                                                .anyMatch(key -> key.signsFrom().isAfter(now))
                                ? Optional.of(ApiError.conflict("another key is about to sign already"))
                                : Optional.empty())
                .compose(added -> store.sweep(now))
                .compose(swept -> store.list())
                .map(found -> {
                    take(found);
                    LOGGER.atInfo()
                            .addKeyValue("kid", fresh.kid())
                            .addKeyValue("signsFrom", fresh.signsFrom())
                            .log("organisation's key rotated");
                    return Json.object()
                            .put("kid", fresh.kid())
                            .put("signs_from", Json.time(fresh.signsFrom()))
                            .put("retires_at", Json.time(retires));
                });
    }

    private Future<Void> makeFirst() {
        var now = clock.instant();
        var first = OrganisationKey.fresh(now);
        return store.add(
                        first,
                        now.plus(OVERLAP),
                        now,
                        known -> known.stream().anyMatch(key -> key.signsAt(now))
                                ? Optional.of(ApiError.conflict("another replica made one"))
                                : Optional.empty())
                .recover(raced -> raced instanceof ApiError error && error.kind() == ApiError.Kind.CONFLICT
                        ? Future.succeededFuture()
                        : Future.failedFuture(raced))
                .compose(added -> store.list())
                .<Void>map(found -> {
                    take(found);
                    return null;
                })
                .onSuccess(made -> LOGGER.atInfo()
                        .addKeyValue("kid", signing().map(OrganisationKey::kid).orElse(""))
                        .log("organisation's key made"));
    }

    private void take(List<OrganisationKey> found) {
        keys = found;
        published = null;
    }

    private List<OrganisationKey> believed(Instant now) {
        return keys.stream().filter(key -> key.isBelievedAt(now)).toList();
    }

    private static String etagOf(Buffer body) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(body.getBytes());
            return HexFormat.of().formatHex(hash, 0, ETAG_BYTES);
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new AssertionError(everyJdkHasIt);
        }
    }
}
