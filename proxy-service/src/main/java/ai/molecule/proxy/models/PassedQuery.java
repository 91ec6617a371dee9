package ai.molecule.proxy.models;

import ai.molecule.common.models.ModelProtocol;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What of a caller's query goes to the provider: the protocol's own, but for a key, which is the provider's affair and the platform's. */
final class PassedQuery {

    /** Google's, by which a caller would choose which parts of an answer come, its usage perhaps not among them, and in which form. */
    private static final Set<String> FORM = Set.of("fields", "alt", "callback");

    private PassedQuery() {}

    /** Empty for none. */
    static String there(ModelProtocol protocol, @Nullable String query) {
        boolean google = protocol == ModelProtocol.GOOGLE;
        var kept = pairs(query).filter(pair -> !nameOf(pair).equals("key") && !(google && FORM.contains(nameOf(pair))));
        return (google && asksForEvents(query) ? Stream.concat(kept, Stream.of("alt=sse")) : kept)
                .collect(Collectors.joining("&"));
    }

    /** Whether a stream of Google's protocol is to be one of events, and not a list. */
    static boolean asksForEvents(@Nullable String query) {
        return pairs(query)
                .anyMatch(pair -> nameOf(pair).equals("alt")
                        && decoded(pair.substring(pair.indexOf('=') + 1)).equals("sse"));
    }

    private static Stream<String> pairs(@Nullable String query) {
        return query == null ? Stream.empty() : Stream.of(query.split("&", -1)).filter(pair -> !pair.isEmpty());
    }

    /** Google takes its own with a sign before them, too. */
    private static String nameOf(String pair) {
        int end = pair.indexOf('=');
        String name = decoded(end < 0 ? pair : pair.substring(0, end)).toLowerCase(Locale.ROOT);
        return name.startsWith("$") ? name.substring(name.startsWith("$.") ? 2 : 1) : name;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return text;
        }
    }
}
