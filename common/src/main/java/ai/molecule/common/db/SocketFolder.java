package ai.molecule.common.db;

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL that listens in a folder instead of at a port: {@code host=/folder} among the parameters of the URL, as libpq has it. Whoever may not
 * enter the folder cannot connect, with or without a password.
 */
public final class SocketFolder {

    private static final String HOST = "host=";
    private static final String FACTORY = "socketFactory";
    private static final String ARGUMENT = "socketFactoryArg";

    private SocketFolder() {}

    /** The URL with the folder. */
    public static String in(String databaseUrl, String folder) {
        return databaseUrl
                + (databaseUrl.contains("?") ? '&' : '?')
                + HOST
                + URLEncoder.encode(folder, StandardCharsets.UTF_8);
    }

    /** What JDBC is told, by the names of its properties, to connect to the socket of a server in a folder. */
    public static Map<String, String> jdbc(String folder, int port) {
        return Map.of(FACTORY, UnixSockets.class.getName(), ARGUMENT, "%s/.s.PGSQL.%d".formatted(folder, port));
    }

    /** Null for a server at a port. */
    static @Nullable String of(String databaseUrl) {
        return parameters(URI.create(databaseUrl))
                .filter(SocketFolder::isOne)
                .map(each -> URLDecoder.decode(each.substring(HOST.length()), StandardCharsets.UTF_8))
                .findFirst()
                .orElse(null);
    }

    /** The URL without the folder. */
    static String without(String databaseUrl) {
        int query = databaseUrl.indexOf('?');
        String rest = others(URI.create(databaseUrl));
        return query < 0 ? databaseUrl : databaseUrl.substring(0, query) + (rest.isEmpty() ? "" : "?" + rest);
    }

    /** The parameters of the URL as JDBC has them: null where there are none. */
    static @Nullable String jdbcQuery(String databaseUrl, int port) {
        var uri = URI.create(databaseUrl);
        String folder = of(databaseUrl);
        if (folder == null) {
            return uri.getRawQuery();
        }
        return Stream.concat(
                        Stream.of(others(uri)).filter(text -> !text.isEmpty()),
                        jdbc(folder, port).entrySet().stream()
                                .map(each -> each.getKey() + "="
                                        + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8)))
                .collect(Collectors.joining("&"));
    }

    private static String others(URI uri) {
        return parameters(uri).filter(each -> !isOne(each)).collect(Collectors.joining("&"));
    }

    private static boolean isOne(String parameter) {
        return parameter.startsWith(HOST + "/") || parameter.startsWith(HOST + "%2F");
    }

    private static Stream<String> parameters(URI uri) {
        return Arrays.stream((uri.getRawQuery() == null ? "" : uri.getRawQuery()).split("&"))
                .filter(each -> !each.isEmpty());
    }
}
