package ai.molecule.registry.signins;

import ai.molecule.registry.people.Account.Identity;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a provider signs about somebody, checked as OpenID Connect Core 3.1.3.7 asks. Only algorithms with a public key are taken: neither
 * {@code none}, nor one under which the client's secret, or the public key itself, would be the key.
 */
record IdToken(String text, SignedJWT jwt) {

    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(
            JWSAlgorithm.RS256,
            JWSAlgorithm.RS384,
            JWSAlgorithm.RS512,
            JWSAlgorithm.PS256,
            JWSAlgorithm.PS384,
            JWSAlgorithm.PS512,
            JWSAlgorithm.ES256,
            JWSAlgorithm.ES384,
            JWSAlgorithm.ES512);

    /** By so much may the provider's clock and ours differ. */
    private static final Duration SKEW = Duration.ofMinutes(2);

    private static final int SUBJECT_MAX_CHARS = 255;

    /** The event that a logout token tells. */
    private static final String LOGOUT = "http://schemas.openid.net/event/backchannel-logout";

    private static final Set<String> LOGOUT_TYPES = Set.of("logout+jwt", "application/logout+jwt", "jwt");

    /** The standard asks for two minutes at most. */
    private static final Duration LOGOUT_LIFE_MAX = Duration.ofMinutes(10);

    /**
     * @param email only where the provider says that it has seen it work
     */
    record Vouched(
            Identity identity,
            Optional<String> email,
            @Nullable String name) {}

    /** @throws WrongSignIn for what is no such token */
    static IdToken parse(String text) {
        try {
            var jwt = SignedJWT.parse(text);
            if (!ALGORITHMS.contains(jwt.getHeader().getAlgorithm())) {
                throw new WrongSignIn(
                        "its token is signed with " + jwt.getHeader().getAlgorithm());
            }
            if (jwt.getHeader().getCriticalParams() != null) {
                throw new WrongSignIn("its token asks for extensions");
            }
            return new IdToken(text, jwt);
        } catch (ParseException malformed) {
            throw new WrongSignIn("its token cannot be read");
        }
    }

    /** Whether one of the keys is the one it names. */
    boolean isSignedWithOneOf(JWKSet keys) {
        return !candidates(keys).isEmpty();
    }

    private List<JWK> candidates(JWKSet keys) {
        return new JWKSelector(Objects.requireNonNull(JWKMatcher.forJWSHeader(jwt.getHeader()))).select(keys);
    }

    /** @throws WrongSignIn for one that was not made by that provider, for us, now, and for this very sign-in */
    Vouched check(JWKSet keys, OidcProvider provider, String nonce, Instant now) {
        if (candidates(keys).stream().noneMatch(this::verifies)) {
            throw new WrongSignIn("its token is not signed with a key of the provider");
        }
        JWTClaimsSet claims;
        String presenter;
        String shownNonce;
        try {
            claims = jwt.getJWTClaimsSet();
            presenter = claims.getStringClaim("azp");
            shownNonce = claims.getStringClaim("nonce");
        } catch (ParseException malformed) {
            throw new WrongSignIn("its token cannot be read");
        }
        require(provider.issuer().equals(claims.getIssuer()), "its token is of another issuer");
        require(claims.getAudience().contains(provider.clientId()), "its token is for somebody else");
        require(
                presenter == null ? claims.getAudience().size() == 1 : presenter.equals(provider.clientId()),
                "its token was made for another client");
        require(
                claims.getExpirationTime() != null
                        && claims.getExpirationTime().toInstant().plus(SKEW).isAfter(now),
                "its token has expired");
        require(
                claims.getIssueTime() != null
                        && !claims.getIssueTime().toInstant().minus(SKEW).isAfter(now),
                "its token is of the future");
        require(
                claims.getNotBeforeTime() == null
                        || !claims.getNotBeforeTime().toInstant().minus(SKEW).isAfter(now),
                "its token does not count yet");
        require(nonce.equals(shownNonce), "its token is of another sign-in");
        String subject = claims.getSubject();
        require(
                subject != null && !subject.isEmpty() && subject.length() <= SUBJECT_MAX_CHARS,
                "its token names nobody");
        boolean verified = Boolean.TRUE.equals(claims.getClaim("email_verified"));
        return new Vouched(
                new Identity(provider.issuer(), Objects.requireNonNull(subject)),
                verified && claims.getClaim("email") instanceof String email
                        ? Optional.of(email.strip().toLowerCase(Locale.ROOT))
                        : Optional.empty(),
                claims.getClaim("name") instanceof String name ? name : null);
    }

    /** The session there that it was made in; null where it does not say. */
    @Nullable
    String session() {
        try {
            return session(jwt.getJWTClaimsSet());
        } catch (ParseException malformed) {
            return null;
        }
    }

    private static @Nullable String session(JWTClaimsSet claims) {
        return claims.getClaim("sid") instanceof String sid && !sid.isEmpty() && sid.length() <= SUBJECT_MAX_CHARS
                ? sid
                : null;
    }

    /**
     * That somebody signed out there: OpenID Connect Back-Channel Logout 1.0, 2.6.
     *
     * @param subject null where it names a session alone
     * @param session null where it names somebody alone
     * @param until when it is believed no more, so that it has to be remembered no longer
     */
    record SignedOut(
            String id, @Nullable String subject, @Nullable String session, Instant until) {}

    /** @throws WrongSignIn for one that is no logout token of that provider, for us, now */
    SignedOut checkLogout(JWKSet keys, OidcProvider provider, Instant now) {
        if (candidates(keys).stream().noneMatch(this::verifies)) {
            throw new WrongSignIn("its token is not signed with a key of the provider");
        }
        var type = jwt.getHeader().getType();
        require(
                type == null || LOGOUT_TYPES.contains(type.getType().toLowerCase(Locale.ROOT)),
                "its token is of another type");
        JWTClaimsSet claims;
        try {
            claims = jwt.getJWTClaimsSet();
        } catch (ParseException malformed) {
            throw new WrongSignIn("its token cannot be read");
        }
        require(provider.issuer().equals(claims.getIssuer()), "its token is of another issuer");
        require(claims.getAudience().contains(provider.clientId()), "its token is for somebody else");
        require(claims.getClaim("nonce") == null, "its token is one of a sign-in");
        require(
                claims.getClaim("events") instanceof Map<?, ?> events && events.get(LOGOUT) instanceof Map<?, ?>,
                "its token is no logout token");
        require(claims.getIssueTime() != null, "its token does not say of when it is");
        var issued = claims.getIssueTime().toInstant();
        var ends = claims.getExpirationTime() == null
                ? issued.plus(SKEW)
                : claims.getExpirationTime().toInstant();
        var until = (ends.isAfter(issued.plus(LOGOUT_LIFE_MAX)) ? issued.plus(LOGOUT_LIFE_MAX) : ends).plus(SKEW);
        require(until.isAfter(now), "its token has expired");
        require(!issued.minus(SKEW).isAfter(now), "its token is of the future");
        String id = claims.getJWTID();
        require(id != null && !id.isEmpty() && id.length() <= SUBJECT_MAX_CHARS, "its token has no id");
        String subject = claims.getSubject();
        String session = session(claims);
        require(
                subject == null || (!subject.isEmpty() && subject.length() <= SUBJECT_MAX_CHARS),
                "its token names nobody");
        require(subject != null || session != null, "its token names nobody");
        return new SignedOut(Objects.requireNonNull(id), subject, session, until);
    }

    private boolean verifies(JWK key) {
        try {
            if (!(key instanceof AsymmetricJWK asymmetric) || key.isPrivate()) {
                return false;
            }
            return jwt.verify(
                    new DefaultJWSVerifierFactory().createJWSVerifier(jwt.getHeader(), asymmetric.toPublicKey()));
        } catch (JOSEException unfit) {
            return false;
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new WrongSignIn(otherwise);
        }
    }
}
