package ai.molecule.proxy.passports;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Behalf;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.PassportsRevoked;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.CheckPassport.Checked;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.bus.registry.IssuePassport.Issued;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passports for whoever is asked next, asked of the registry once in five minutes for the same and after each change of a workspace. What a
 * workspace was given to hand on is handed on or the message is refused: leaving it out would allow more. A person's message goes without one
 * where the registry does not answer. To be used on one event loop.
 */
public final class PassportBook {

    /** The header in which an agent is given one, and shows the one it works under. */
    public static final String HEADER = "X-Molecule-Passport";

    private static final Logger LOGGER = LoggerFactory.getLogger(PassportBook.class);
    private static final Duration USED = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** A platform that does not answer is left alone for as long by whoever can go without. */
    private static final Duration AWAY = Duration.ofSeconds(2);

    /** At most 10 KB each. */
    private static final int ENTRIES_MAX = 5_000;

    private static final int SHOWN_MAX_CHARS = 4_096;

    private final Bus bus;
    private final BriefCache<IssuePassport, Issued> passports = new BriefCache<>(USED, ENTRIES_MAX);
    private final BriefCache<CheckPassport, Checked> checked = new BriefCache<>(USED, ENTRIES_MAX);
    private long awayNanos = System.nanoTime() - AWAY.toNanos();

    public PassportBook(Bus bus) {
        this.bus = bus;
        bus.listen(WorkspaceChanged.HINT, hint -> passports.clear());
        bus.listen(PassportsRevoked.HINT, hint -> forget());
        bus.listen(TokensChanged.HINT, hint -> {
            if (hint.workspaceId() == null) {
                forget(); // somebody may have been shut out, and what they allowed with them
            }
        });
    }

    /**
     * The headers for a message, with the target's passport in place of the sender's.
     *
     * @param sender null for a person
     * @param principal who the person is, as we saw it; null where the platform speaks by itself
     * @return fails with FORBIDDEN where a passport is not to be handed on so, with UNAVAILABLE while nobody can tell
     */
    public Future<Map<String, String>> carried(
            UUID target, @Nullable UUID sender, @Nullable String principal, Map<String, String> headers) {
        String shown = headers.get(HEADER);
        if (sender != null && sender.equals(target)) {
            return Future.succeededFuture(headers);
        }
        if (sender != null) {
            return shown == null
                    ? Future.succeededFuture(headers)
                    : issue(IssuePassport.message(target, sender, shown)).map(issued -> with(headers, issued.token()));
        }
        if (principal == null || System.nanoTime() - awayNanos < AWAY.toNanos()) {
            return Future.succeededFuture(with(headers, null));
        }
        return issue(IssuePassport.first(target, principal, null, null, null, null))
                .map(issued -> with(headers, issued.token()))
                .recover(none -> {
                    LOGGER.atDebug().addKeyValue("reason", none.getMessage()).log("no passport");
                    awayNanos = System.nanoTime();
                    return Future.succeededFuture(with(headers, null));
                });
    }

    /** Fails as the contract says, and with UNAVAILABLE where nobody answers. */
    public Future<Issued> issue(IssuePassport asked) {
        String parent = asked.parent();
        if (parent != null && parent.length() > SHOWN_MAX_CHARS) {
            return Future.failedFuture(ApiError.forbidden("this is no passport of this platform"));
        }
        return passports.get(
                asked,
                question -> bus.call(IssuePassport.CONTRACT, question)
                        .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                        .recover(failure -> Future.failedFuture(
                                failure instanceof ApiError
                                        ? failure
                                        : ApiError.unavailable("nobody can tell now whether this may be handed on"))));
    }

    private void forget() {
        passports.clear();
        checked.clear();
    }

    /** What one is worth now; fails with UNAVAILABLE where nobody answers. */
    public Future<Checked> check(UUID holder, String shown) {
        if (shown.length() > SHOWN_MAX_CHARS) {
            return Future.succeededFuture(Checked.NONE);
        }
        return checked.get(
                new CheckPassport(holder, shown),
                question -> bus.call(CheckPassport.CONTRACT, question)
                        .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                        .recover(failure -> Future.failedFuture(
                                ApiError.unavailable("nobody can tell now whether the passport still holds"))));
    }

    /** Before something goes to its target under the passport that it was given before: fails with FORBIDDEN where that was revoked since. */
    public Future<Void> stillHolds(UUID target, Map<String, String> headers) {
        String shown = headers.get(HEADER);
        return shown == null
                ? Future.succeededFuture()
                : check(target, shown)
                        .compose(found -> found.standing() == CheckPassport.Standing.REVOKED
                                ? Future.failedFuture(ApiError.forbidden("the passport was revoked"))
                                : Future.succeededFuture());
    }

    /** On whose behalf a message goes, by the passport that the platform itself made for its target; null without one. */
    public static @Nullable Behalf behalf(Map<String, String> headers) {
        String jws = headers.get(HEADER);
        String[] parts = jws == null ? new String[0] : jws.split("\\.", -1);
        if (parts.length != 3) {
            return null;
        }
        try {
            var claims = Json.parse(Base64.getUrlDecoder().decode(parts[1]));
            String principal = claims.path("sub").textValue();
            return principal == null
                    ? null
                    : new Behalf(UUID.fromString(claims.path("jti").asText()), principal);
        } catch (IOException | IllegalArgumentException unreadable) {
            return null;
        }
    }

    /** That of a request, where it shows one. */
    public static Optional<String> shown(@Nullable String header) {
        return Optional.ofNullable(header).filter(text -> !text.isBlank());
    }

    private static Map<String, String> with(Map<String, String> headers, @Nullable String passport) {
        if (passport == null && !headers.containsKey(HEADER)) {
            return headers;
        }
        Map<String, String> changed = new HashMap<>(headers);
        if (passport == null) {
            changed.remove(HEADER);
        } else {
            changed.put(HEADER, passport);
        }
        return changed;
    }
}
