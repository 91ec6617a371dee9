package ai.molecule.registry.signins;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.registry.people.Account;
import ai.molecule.registry.people.PeopleService;
import ai.molecule.registry.signins.PgSignInStore.UnderWay;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules of signing in at a provider. */
public record SignInService(PgSignInStore store, PeopleService people, List<OidcClient> clients, Clock clock) {

    private static final Logger LOGGER = LoggerFactory.getLogger(SignInService.class);

    /** So long may somebody take at the provider's page. */
    public static final Duration LIFE = Duration.ofMinutes(10);

    /** As the standard has it. */
    static final String INVALID_LOGOUT = "invalid_request";

    private static final int UNDER_WAY_MAX = 1_000;

    /**
     * One that begins.
     *
     * @param url of the provider's page
     * @param browser what binds it to the browser that began it, to be kept there
     * @param csrfToken the half of the session that the page keeps: told to the page that began it, never to the address that it comes back to
     */
    record Begun(String url, String browser, String csrfToken) {}

    /** One that ended well. */
    record Done(
            Account account,
            OidcProvider provider,
            String csrfToken,
            String idToken,
            @Nullable String session) {}

    /** Somebody who signed out at a provider. */
    record Gone(OidcProvider provider, IdToken.SignedOut word) {}

    /**
     * What a browser comes back with.
     *
     * @param browser what it kept; null for one that began nothing
     * @param issuer who answered, by its own word; null where it does not say
     */
    record Answer(
            @Nullable String code,
            @Nullable String state,
            @Nullable String issuer,
            @Nullable String error,
            @Nullable String browser) {}

    /** One for each provider. */
    public static List<OidcClient> clients(List<OidcProvider> providers, SafeDialer dialer, Clock clock) {
        return providers.stream()
                .map(provider -> new OidcClient(provider, dialer, clock))
                .toList();
    }

    public List<OidcProvider> providers() {
        return clients.stream().map(OidcClient::provider).toList();
    }

    /**
     * @param link by which somebody comes for the first time; null for none
     * @param network from where it comes
     */
    Future<Begun> begin(String providerId, @Nullable String link, String redirectUri, String network) {
        var client = client(providerId).orElseThrow(() -> ApiError.notFound("there is no such sign-in provider"));
        var signIn = new UnderWay(providerId, Tokens.mint(), Tokens.mint(), link == null ? null : Tokens.hash(link));
        String state = Tokens.mint();
        String browser = Tokens.mint();
        var now = clock.instant();
        return client.document()
                .compose(document -> store.insert(
                                key(state, browser), signIn, network, now, now.plus(LIFE), UNDER_WAY_MAX - 1)
                        .map(stored -> {
                            var query = new LinkedHashMap<String, String>();
                            query.put("response_type", "code");
                            query.put("client_id", client.provider().clientId());
                            query.put("redirect_uri", redirectUri);
                            query.put("scope", "openid email profile");
                            query.put("state", state);
                            query.put("nonce", signIn.nonce());
                            query.put("code_challenge", challenge(signIn.verifier()));
                            query.put("code_challenge_method", "S256");
                            return new Begun(with(document.authorization(), query), browser, signIn.csrfToken());
                        }))
                .recover(SignInService::refused);
    }

    /**
     * Fails with UNAUTHENTICATED for whatever is not the answer of that provider to a sign-in that this browser began here, once; and for
     * somebody who is nobody here.
     */
    Future<Done> end(String providerId, Answer answer, String redirectUri) {
        String state = answer.state;
        String browser = answer.browser;
        if (state == null || browser == null) {
            return refused(new WrongSignIn("nobody began it in this browser"));
        }
        return store.take(key(state, browser), clock.instant())
                .compose(found -> {
                    var signIn = found.filter(one -> one.provider().equals(providerId))
                            .orElseThrow(() -> new WrongSignIn("it was not begun here, is over, or was ended before"));
                    var client = client(providerId).orElseThrow(() -> new WrongSignIn("its provider is gone"));
                    return end(client, signIn, answer, redirectUri);
                })
                .recover(SignInService::refused);
    }

    private Future<Done> end(OidcClient client, UnderWay signIn, Answer answer, String redirectUri) {
        return client.document().compose(document -> {
            String issuer = client.provider().issuer();
            boolean isIts = answer.issuer == null ? !document.namesItself() : answer.issuer.equals(issuer);
            if (!isIts) {
                throw new WrongSignIn(
                        "another provider answered"); // RFC 9207: its code is for that one, and goes nowhere
            }
            String code = answer.code;
            if (answer.error != null || code == null) {
                throw new WrongSignIn("the provider refused");
            }
            return client.exchange(code, signIn.verifier(), redirectUri)
                    .compose(token -> client.check(token, signIn.nonce())
                            .compose(vouched -> account(signIn, vouched))
                            .map(account -> new Done(
                                    account, client.provider(), signIn.csrfToken(), token.text(), token.session())));
        });
    }

    private Future<Account> account(UnderWay signIn, IdToken.Vouched vouched) {
        byte[] linkHash = signIn.linkHash();
        if (linkHash != null) {
            return people.accept(linkHash, vouched.email().orElse(null), vouched.name(), vouched.identity());
        }
        return people.find(vouched.identity(), vouched.email())
                .map(found -> found.orElseThrow(() -> new WrongSignIn("nobody here is known by it")));
    }

    /** Where the session at the provider is ended too; empty where it ends none for others. */
    public Future<Optional<String>> logoutUrl(String providerId, Optional<String> idToken, String back) {
        var client = client(providerId);
        if (client.isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        return client.get()
                .document()
                .map(document -> Optional.ofNullable(document.endSession()).map(place -> {
                    var query = new LinkedHashMap<String, String>();
                    idToken.ifPresent(token -> query.put("id_token_hint", token));
                    query.put("client_id", client.get().provider().clientId());
                    query.put("post_logout_redirect_uri", back + "/ui");
                    return with(place, query);
                }))
                .otherwise(
                        Optional.empty()); // whoever signs out is signed out here, whether or not the provider answers
    }

    /** What a logout token says; fails with INVALID for what is none of that provider's, and for the reason looks into the log. */
    Future<Gone> signedOut(String providerId, @Nullable String logoutToken) {
        return Future.succeededFuture(logoutToken == null ? "" : logoutToken)
                .map(IdToken::parse)
                .compose(token -> {
                    var client = client(providerId).orElseThrow(() -> new WrongSignIn("there is no such provider"));
                    return client.checkLogout(token).map(word -> new Gone(client.provider(), word));
                })
                .recover(why -> {
                    if (why instanceof WrongSignIn) {
                        LOGGER.atInfo().addKeyValue("reason", why.getMessage()).log("logout by a provider refused");
                        return Future.failedFuture(ApiError.invalid(INVALID_LOGOUT));
                    }
                    return Future.failedFuture(why);
                });
    }

    public Future<Void> sweep() {
        return store.forget(clock.instant());
    }

    private Optional<OidcClient> client(String providerId) {
        return clients.stream()
                .filter(client -> client.provider().id().equals(providerId))
                .findFirst();
    }

    private static String with(String place, LinkedHashMap<String, String> query) {
        return place + (place.contains("?") ? "&" : "?") + OidcClient.encoded(query);
    }

    /** Of both: a state alone that somebody else learned ends nothing, nor does a browser that began another one. */
    private static byte[] key(String state, String browser) {
        return Tokens.hash(state + "." + browser);
    }

    private static String challenge(String verifier) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Tokens.hash(verifier));
    }

    private static <T> Future<T> refused(Throwable why) {
        if (why instanceof WrongSignIn) {
            LOGGER.atInfo().addKeyValue("reason", why.getMessage()).log("sign-in at a provider refused");
            return Future.failedFuture(
                    ApiError.unauthenticated("this sign-in is not believed, or you are not known here"));
        }
        return Future.failedFuture(why);
    }
}
