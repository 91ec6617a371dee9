package ai.molecule.proxy.models.pricelist;

import ai.molecule.common.config.Env;
import ai.molecule.common.models.PriceListKeys;
import ai.molecule.common.net.HttpTarget;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where a price list is renewed from, and by which keys it is believed.
 *
 * @param source {@code MOLECULE_PRICE_LIST}: the path of a file or an https URL; http only to this machine
 * @param keys {@code MOLECULE_PRICE_LIST_KEY}, or the file that {@code MOLECULE_PRICE_LIST_KEY_FILE} names: required, because none comes along
 */
public record PriceListConfig(String source, PriceListKeys keys) {

    static final String KEY = "MOLECULE_PRICE_LIST_KEY";
    private static final String SOURCE = "MOLECULE_PRICE_LIST";
    private static final int SOURCE_MAX_CHARS = 2_000;
    private static final String SCHEME = "://";
    private static final Set<String> THIS_MACHINE = Set.of("127.0.0.1", "::1", "localhost");

    /** Empty where none is named. {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static Optional<PriceListConfig> fromEnv(Env env) {
        String source = env.find(SOURCE);
        String keys = env.find(KEY);
        if (source == null) {
            return Optional.empty(); // a deployment may name the key before anybody names a list
        }
        if (!isReadable(source)) {
            throw new IllegalArgumentException(SOURCE + " must be the path of a file, or an https URL");
        }
        if (keys == null) {
            throw new IllegalArgumentException(
                    "%s needs %s, the public key of whoever signs the list: Molecule comes with none"
                            .formatted(SOURCE, KEY));
        }
        try {
            return Optional.of(new PriceListConfig(source, PriceListKeys.read(keys)));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(KEY + " " + wrong.getMessage(), wrong);
        }
    }

    private static boolean isReadable(String source) {
        if (source.length() > SOURCE_MAX_CHARS || source.lines().count() != 1) {
            return false;
        }
        if (source.contains(SCHEME)) {
            return HttpTarget.of(source)
                    .filter(target -> target.https() || THIS_MACHINE.contains(target.host()))
                    .isPresent();
        }
        try {
            return !Path.of(source).toString().isEmpty();
        } catch (InvalidPathException malformed) {
            return false;
        }
    }

    boolean isUrl() {
        return source.contains(SCHEME);
    }

    /** Where the signature is: beside the list, with {@code .sig} behind its name. */
    String signature() {
        int end = endOfName();
        return source.substring(0, end) + PriceListKeys.SIGNATURE_SUFFIX + source.substring(end);
    }

    /** The source without a URL's query, which may be a password. */
    String shown() {
        return source.substring(0, endOfName());
    }

    private int endOfName() {
        int query = isUrl() ? source.indexOf('?') : -1;
        return query < 0 ? source.length() : query;
    }

    /** All keys, to see that they are others. */
    String keysText() {
        return keys.keys().stream()
                .map(key -> Base64.getEncoder().encodeToString(key.getEncoded()))
                .collect(Collectors.joining(","));
    }
}
