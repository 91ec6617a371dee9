package ai.molecule.common.db;

import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * How connections to PostgreSQL are encrypted: by {@code sslmode} and {@code sslrootcert} of the URL, which mean what they mean to libpq.
 * Both clients, JDBC's for migrations and the reactive one for statements, are told the same.
 *
 * @param mode without {@code sslmode}: verify-full where there is a CA, else prefer, at loopback disable. A CA makes verify-ca of require
 * @param authorities file of PEM certificates; null: those that the Java runtime trusts
 */
record Encryption(SslMode mode, @Nullable String authorities) {

    private static final String MODE = "sslmode";
    private static final String AUTHORITIES = "sslrootcert";
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");

    /** {@link IllegalArgumentException} for a mode that is none. */
    static Encryption of(String databaseUrl) {
        var uri = URI.create(databaseUrl);
        String authorities = parameter(uri, AUTHORITIES);
        String named = parameter(uri, MODE);
        if (named == null) {
            boolean loopback = uri.getHost() != null && LOOPBACK.contains(uri.getHost());
            return new Encryption(
                    authorities != null ? SslMode.VERIFY_FULL : loopback ? SslMode.DISABLE : SslMode.PREFER,
                    authorities);
        }
        var mode = Arrays.stream(SslMode.values())
                .filter(one -> name(one).equals(named))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "sslmode of DATABASE_URL must be disable, allow, prefer, require, verify-ca or verify-full"));
        return new Encryption(mode == SslMode.REQUIRE && authorities != null ? SslMode.VERIFY_CA : mode, authorities);
    }

    /** Whether a server without TLS is taken, without anybody having asked for that. */
    boolean maySilentlyBePlain() {
        return mode == SslMode.PREFER || mode == SslMode.ALLOW;
    }

    private boolean verifies() {
        return mode == SslMode.VERIFY_CA || mode == SslMode.VERIFY_FULL;
    }

    void applyTo(PgConnectOptions options) {
        options.setSslMode(mode);
        if (mode == SslMode.DISABLE) {
            return;
        }
        var tls = new ClientSSLOptions()
                .setHostnameVerificationAlgorithm(mode == SslMode.VERIFY_FULL ? "HTTPS" : "")
                .setTrustAll(!verifies());
        if (verifies()) {
            tls.setTrustOptions(authorities == null ? ofTheRuntime() : new PemTrustOptions().addCertPath(authorities));
        }
        options.setSslOptions(tls);
    }

    private static TrustOptions ofTheRuntime() {
        try {
            var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init((KeyStore) null);
            return TrustOptions.wrap(trusted.getTrustManagers()[0]);
        } catch (GeneralSecurityException broken) {
            throw new IllegalStateException("the Java runtime has no trusted certificates", broken);
        }
    }

    /** The query of a URL for JDBC: {@code query} with the same encryption as {@link #applyTo}. */
    String jdbcQuery(@Nullable String query) {
        var others = Arrays.stream((query == null ? "" : query).split("&"))
                .filter(each -> !each.isEmpty() && !each.startsWith(MODE + "=") && !each.startsWith(AUTHORITIES + "="));
        Stream<String> ours = Stream.of(MODE + "=" + name(mode));
        if (verifies()) {
            ours = Stream.concat(
                    ours,
                    Stream.of(
                            authorities == null
                                    ? "sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory"
                                    : AUTHORITIES + "=" + URLEncoder.encode(authorities, StandardCharsets.UTF_8)));
        }
        return Stream.concat(others, ours).collect(Collectors.joining("&", "?", ""));
    }

    private static String name(SslMode mode) {
        return mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static @Nullable String parameter(URI uri, String name) {
        return Arrays.stream((uri.getRawQuery() == null ? "" : uri.getRawQuery()).split("&"))
                .filter(each -> each.startsWith(name + "="))
                .map(each -> URLDecoder.decode(each.substring(name.length() + 1), StandardCharsets.UTF_8))
                .findFirst()
                .orElse(null);
    }
}
