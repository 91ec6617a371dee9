package ai.molecule.registry.secrets.stores;

import ai.molecule.common.config.Env;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which stores the operator opened; none by default.
 *
 * @param vault where {@code VAULT_ADDR} is set
 * @param folders {@code MOLECULE_SECRET_FOLDERS}: absolute paths, separated by commas, below which files may be named
 * @param programs {@code MOLECULE_SECRET_PROGRAMS}: {@code <name>=<absolute path>}, separated by commas
 */
public record StoreSettings(Optional<Vault> vault, List<Path> folders, Map<String, Path> programs) {

    static final String FOLDERS = "MOLECULE_SECRET_FOLDERS";
    static final String PROGRAMS = "MOLECULE_SECRET_PROGRAMS";

    static final Pattern PROGRAM = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");

    /**
     * A server of HashiCorp Vault.
     *
     * @param address {@code VAULT_ADDR}: http or https, with no path
     * @param token {@code VAULT_TOKEN}; else {@code tokenFile} is read at each lookup, so that it may be renewed
     * @param tokenFile {@code VAULT_TOKEN_FILE}
     * @param namespace {@code VAULT_NAMESPACE}
     * @param authorities {@code VAULT_CACERT}: a PEM file of who may sign its certificate; null for the machine's
     */
    record Vault(
            URI address,
            @Nullable String token,
            @Nullable Path tokenFile,
            @Nullable String namespace,
            @Nullable Path authorities) {

        /** Without the token. */
        @Override
        public String toString() {
            return "Vault[" + address.getHost() + "]";
        }
    }

    /** Reads and checks the variables; {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static StoreSettings fromEnv(Env env) {
        return new StoreSettings(vault(env), folders(env), programs(env));
    }

    private static Optional<Vault> vault(Env env) {
        String address = env.find("VAULT_ADDR");
        String token = blankToNull(env.variables().get("VAULT_TOKEN"));
        String file = blankToNull(env.variables().get("VAULT_TOKEN_FILE"));
        String namespace = env.find("VAULT_NAMESPACE");
        String authorities = blankToNull(env.variables().get("VAULT_CACERT"));
        if (address == null) {
            return Optional.empty(); // a deployment may name the rest before anybody opens it
        }
        if (token == null && file == null) {
            throw new IllegalArgumentException("VAULT_ADDR is set: set VAULT_TOKEN or VAULT_TOKEN_FILE as well");
        }
        return Optional.of(new Vault(
                address(address),
                token,
                token == null && file != null ? absolute("VAULT_TOKEN_FILE", file) : null,
                namespace,
                authorities == null ? null : absolute("VAULT_CACERT", authorities)));
    }

    private static URI address(String text) {
        try {
            var uri = new URI(text.replaceAll("/+$", ""));
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (http && uri.getHost() != null && uri.getRawPath().isEmpty() && uri.getRawUserInfo() == null) {
                return uri;
            }
        } catch (URISyntaxException malformed) {
            // same answer as for one that is none of ours
        }
        throw new IllegalArgumentException("VAULT_ADDR must be like https://vault.example.com:8200");
    }

    private static List<Path> folders(Env env) {
        return env.list(FOLDERS).stream()
                .map(folder -> absolute(FOLDERS, folder))
                .toList();
    }

    private static Map<String, Path> programs(Env env) {
        Map<String, Path> programs = new LinkedHashMap<>();
        for (String entry : env.list(PROGRAMS)) {
            int equals = entry.indexOf('=');
            String name = entry.substring(0, Math.max(0, equals));
            if (!PROGRAM.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        PROGRAMS
                                + " must be like name=/absolute/path, separated by commas; a name has lower-case letters, digits and hyphens");
            }
            programs.put(name, absolute(PROGRAMS, entry.substring(equals + 1)));
        }
        return Map.copyOf(programs);
    }

    private static Path absolute(String variable, String text) {
        try {
            var path = Path.of(text.strip());
            if (path.isAbsolute() && path.getNameCount() > 0) {
                return path.normalize();
            }
        } catch (InvalidPathException malformed) {
            // same answer as for a relative one
        }
        throw new IllegalArgumentException(variable + " must have absolute paths, and not /");
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text.strip();
    }
}
