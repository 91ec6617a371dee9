package ai.molecule.runtime.a2a;

import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.regex.Pattern;

/** In which version of the protocol somebody speaks. Its patch number never counts. */
final class ProtocolVersion {

    static final String PARAMETER = "A2A-Version";

    private static final Pattern V0_3 = Pattern.compile("0\\.3(\\.\\d+)?");
    private static final Pattern V1_0 = Pattern.compile("1\\.0(\\.\\d+)?");

    private ProtocolVersion() {}

    /** What the caller names in the header, else in the query; empty for none. */
    static String named(HttpServerRequest http) {
        String header = http.getHeader(PARAMETER);
        boolean named = header == null && http.query() != null;
        return Objects.requireNonNullElse(named ? http.getParam(PARAMETER) : header, "")
                .strip();
    }

    static boolean is03(String named) {
        return V0_3.matcher(named).matches();
    }

    static boolean is10(String named) {
        return V1_0.matcher(named).matches();
    }

    /** Whether 1.0 is spoken: as the caller names it, else by the method's name. @throws RpcError -32009 for any other version */
    static boolean is10(String named, String method) {
        if (named.isEmpty()) {
            return WireForm10.METHODS.containsKey(method);
        }
        if (!is03(named) && !is10(named)) {
            throw RpcError.versionNotSupported(named);
        }
        return is10(named);
    }
}
