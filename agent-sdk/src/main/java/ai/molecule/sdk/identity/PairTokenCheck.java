package ai.molecule.sdk.identity;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells who calls this agent by the pair token that he shows, without asking anybody: signed by the platform, for this workspace, not over,
 * and not older than the newest change the platform told of with a heartbeat's answer. Whoever signed is asked for only when a key is unknown.
 *
 * <pre>{@code
 * if (PairTokenCheck.looksLikeOne(shown)) {
 *     String caller = client.callers().checkOrAsk(shown).caller();
 * }
 * }</pre>
 *
 * <p>Clocks may differ: times are compared with the platform's, as heartbeats tell it, with {@link #LEEWAY}. What was checked is remembered,
 * the last {@value #REMEMBERED_MAX} tokens. Safe to share between threads.
 */
public final class PairTokenCheck {

    /** What two clocks may differ by when their difference is known. */
    public static final Duration LEEWAY = Duration.ofSeconds(10);

    private static final Logger LOGGER = System.getLogger(PairTokenCheck.class.getName());
    private static final String TYPE = "molecule-pair+jwt";
    private static final String PASSPORT_TYPE = "molecule-passport+jwt";
    private static final String ISSUER = "molecule";

    /** Longer than any that the platform issues. */
    private static final Duration LIFE_MAX = Duration.ofMinutes(5);

    private static final int REMEMBERED_MAX = 10_000;

    /** At most 10 KB each. */
    private static final int PASSPORTS_MAX = 1_000;

    private static final Duration ASKED_EVERY = Duration.ofSeconds(5);

    /** A heartbeat whose answer took longer says too little about the time. */
    private static final Duration ROUND_TRIP_MAX = Duration.ofSeconds(5);

    private final String workspaceId;
    private final Supplier<JsonNode> platform;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Object asking = new Object();

    private final Map<String, PairToken> remembered = new LinkedHashMap<>();
    private final Map<String, Passport> passports = new LinkedHashMap<>();
    private KeySet keys = KeySet.NONE;
    private String keysVersion = "";
    private boolean askedBefore;
    private long askedNanos;
    private volatile Duration offset = Duration.ZERO;
    private volatile boolean timeTold;
    private volatile long branchVersion;

    /**
     * @param platform fetches its {@code /.well-known/jwks.json}, and throws when it cannot
     * @param nanos a clock as {@link System#nanoTime}
     */
    public PairTokenCheck(String workspaceId, Supplier<JsonNode> platform, InstantSource clock, LongSupplier nanos) {
        this.workspaceId = workspaceId;
        this.platform = platform;
        this.clock = clock;
        this.nanos = nanos;
    }

    /** Whether it is a token of this kind, right or wrong, and not one of the opaque ones, which have no points. */
    public static boolean looksLikeOne(String bearer) {
        return bearer.indexOf('.') >= 0;
    }

    /**
     * Takes a few microseconds for one that was checked before, and half a millisecond for a new one; never asks anybody.
     *
     * @throws NotBelieved with the reason; where it {@linkplain NotBelieved#isKeyUnknown() is an unknown key}, {@link #checkOrAsk} may help
     */
    public PairToken check(String token) throws NotBelieved {
        PairToken known = find(token);
        PairToken checked = known == null ? checkAnew(token) : known;
        Instant now = platformTime();
        if (now.isAfter(checked.expiresAt().plus(LEEWAY))) {
            throw inTime("expired");
        }
        if (checked.branchVersion() < branchVersion) {
            throw NotBelieved.because("issued before a change of who may talk to whom");
        }
        return checked;
    }

    /** Whether the platform told its keys; until then nobody is believed. */
    public boolean knowsKeys() {
        synchronized (remembered) {
            return !keys.isEmpty();
        }
    }

    /** Until a heartbeat was answered nobody can tell whose clock is wrong. */
    private NotBelieved inTime(String reason) {
        return timeTold
                ? NotBelieved.because(reason)
                : NotBelieved.yet(reason + ", by a clock that is not set by the platform's yet");
    }

    /**
     * {@link #check}, and where the key is unknown again when the platform told its keys: for whoever may block. The platform is asked at most
     * every 5 s, and one at a time; others wait for the same answer.
     *
     * @throws NotBelieved {@linkplain NotBelieved#isUndecided() undecided} where the key is unknown and the platform could not be asked
     */
    public PairToken checkOrAsk(String token) throws NotBelieved {
        return orAsk(() -> check(token));
    }

    /**
     * The passport a message came with: signed by the platform by any key that ever was its own, for this workspace, and not over. It proves
     * nobody's identity, and is to be shown beside a pair token. What was checked is remembered.
     *
     * @throws NotBelieved as {@link #check} does
     */
    public Passport passport(String jws) throws NotBelieved {
        Passport known;
        KeySet believed;
        synchronized (remembered) {
            known = passports.get(jws);
            believed = keys;
        }
        Passport checked = known == null ? passportAnew(jws, believed) : known;
        if (platformTime().isAfter(checked.expiresAt().plus(LEEWAY))) {
            throw inTime("over");
        }
        return checked;
    }

    /** {@link #passport}, and where the key is unknown again when the platform told its keys: for whoever may block. */
    public Passport passportOrAsk(String jws) throws NotBelieved {
        return orAsk(() -> passport(jws));
    }

    private Passport passportAnew(String jws, KeySet believed) throws NotBelieved {
        if (!workspaceId.equalsIgnoreCase(KeySet.unverified(jws).path("aud").textValue())) {
            throw NotBelieved.because("issued for another workspace");
        }
        JsonNode claims = believed.verifyKept(jws, PASSPORT_TYPE);
        Passport checked = Passport.of(jws, claims);
        if (!ISSUER.equals(claims.path("iss").textValue())
                || !claims.path("iat").isIntegralNumber()) {
            throw NotBelieved.because("not a passport");
        }
        if (Instant.ofEpochSecond(claims.path("iat").asLong())
                .isAfter(platformTime().plus(LEEWAY))) {
            throw inTime("issued in the future");
        }
        synchronized (remembered) {
            if (keys == believed) {
                if (passports.size() >= PASSPORTS_MAX) {
                    passports.remove(passports.keySet().iterator().next());
                }
                passports.put(jws, checked);
            }
        }
        return checked;
    }

    @FunctionalInterface
    private interface Check<T> {
        T made() throws NotBelieved;
    }

    private <T> T orAsk(Check<T> check) throws NotBelieved {
        try {
            return check.made();
        } catch (NotBelieved unknown) {
            if (!unknown.isKeyUnknown()) {
                throw unknown;
            }
        }
        boolean told;
        synchronized (asking) {
            told = fetch();
            if (!told) {
                told = fetch(); // other keys were told of meanwhile
            }
        }
        try {
            return check.made();
        } catch (NotBelieved unknown) {
            boolean toldOtherwise = told && knowsKeys(); // a heartbeat's answer may have dropped the keys since
            throw toldOtherwise || !unknown.isKeyUnknown()
                    ? unknown
                    : NotBelieved.yet("signed with a key that the platform was not asked about yet");
        }
    }

    /** Whether the platform told its keys just now. */
    private boolean fetch() {
        String version;
        synchronized (remembered) {
            if (askedBefore && nanos.getAsLong() - askedNanos < ASKED_EVERY.toNanos()) {
                return false;
            }
            askedBefore = true;
            askedNanos = nanos.getAsLong();
            version = keysVersion;
        }
        try {
            KeySet fetched = KeySet.of(platform.get());
            synchronized (remembered) {
                if (!version.equals(keysVersion)) { // it may be from before the change
                    return false;
                }
                keys = fetched;
                remembered.clear();
                passports.clear();
                return !keys.isEmpty();
            }
        } catch (RuntimeException away) {
            LOGGER.log(Level.WARNING, "the platform does not tell its keys: {0}", away.getMessage());
            return false;
        }
    }

    /**
     * What the answer to a heartbeat says. Other keys are asked for when the next token comes; until then none is believed.
     *
     * @param sent when the heartbeat was sent, by this machine's clock; {@code received} when it was answered
     * @param newBranchVersion 0 where the platform does not say
     * @param version of the platform's keys; empty where it has none
     */
    public void heard(Instant told, Instant sent, Instant received, long newBranchVersion, String version) {
        Duration roundTrip = Duration.between(sent, received);
        if (!roundTrip.isNegative() && roundTrip.compareTo(ROUND_TRIP_MAX) < 0) {
            offset = Duration.between(sent.plus(roundTrip.dividedBy(2)), told);
            timeTold = true;
        }
        synchronized (remembered) {
            if (newBranchVersion > 0) { // less than before where the platform was restored from a backup
                branchVersion = newBranchVersion;
            }
            if (!version.equals(keysVersion)) {
                keysVersion = version;
                keys = KeySet.NONE;
                remembered.clear();
                passports.clear();
                askedBefore = false;
            }
        }
    }

    private PairToken checkAnew(String token) throws NotBelieved {
        KeySet believed;
        synchronized (remembered) {
            believed = keys;
        }
        JsonNode claimed = KeySet.unverified(token);
        if (!workspaceId.equalsIgnoreCase(claimed.path("aud").textValue())) { // before what takes long
            throw NotBelieved.because("issued for another workspace");
        }
        JsonNode claims = believed.verify(token, TYPE);
        if (!ISSUER.equals(claims.path("iss").textValue())
                || !claims.path("sub").isTextual()
                || !claims.path("jti").isTextual()
                || !claims.path("iat").isIntegralNumber()
                || !claims.path("exp").isIntegralNumber()
                || !claims.path("ver").isIntegralNumber()) {
            throw NotBelieved.because("not a pair token");
        }
        Instant issuedAt = Instant.ofEpochSecond(claims.path("iat").asLong());
        Instant expiresAt = Instant.ofEpochSecond(claims.path("exp").asLong());
        if (issuedAt.isAfter(platformTime().plus(LEEWAY))) {
            throw inTime("issued in the future");
        }
        if (expiresAt.isAfter(issuedAt.plus(LIFE_MAX))) {
            throw NotBelieved.because("holds for longer than such tokens do");
        }
        var checked = new PairToken(
                claims.path("sub").asText(), expiresAt, claims.path("ver").asLong());
        synchronized (remembered) {
            if (keys == believed) {
                if (remembered.size() >= REMEMBERED_MAX) {
                    remembered.remove(remembered.keySet().iterator().next());
                }
                remembered.put(token, checked);
            }
        }
        return checked;
    }

    private @Nullable PairToken find(String token) {
        synchronized (remembered) {
            return remembered.get(token);
        }
    }

    private Instant platformTime() {
        return clock.instant().plus(offset);
    }
}
