package ai.molecule.runtime.a2a;

import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.Set;

/** Recognises callers who speak a version this agent does not. Naming none means 0.3. */
final class ProtocolVersion {

    static final String SPOKEN = "0.3.0";
    static final String PARAMETER = "A2A-Version";

    /** How protocol 1.0 calls what 0.3 calls {@code message/send} and so on. */
    private static final Set<String> METHODS_OF_1_0 = Set.of(
            "SendMessage",
            "SendStreamingMessage",
            "GetTask",
            "ListTasks",
            "CancelTask",
            "SubscribeToTask",
            "CreateTaskPushNotificationConfig",
            "GetTaskPushNotificationConfig",
            "ListTaskPushNotificationConfigs",
            "DeleteTaskPushNotificationConfig",
            "GetExtendedAgentCard");

    private ProtocolVersion() {}

    /** What the caller names in the header, else in the query; empty for none. */
    static String named(HttpServerRequest http) {
        String header = http.getHeader(PARAMETER);
        boolean named = header == null && http.query() != null;
        return Objects.requireNonNullElse(named ? http.getParam(PARAMETER) : header, "")
                .strip();
    }

    /** @throws RpcError -32009 when the header, the query parameter or the method's name is of another version */
    static void require(String named, String method) {
        if (!named.isEmpty() && !named.equals("0.3") && !named.startsWith("0.3.")) {
            throw RpcError.versionNotSupported(named.length() > 16 ? "of that version" : named);
        }
        if (METHODS_OF_1_0.contains(method)) {
            throw RpcError.versionNotSupported("1.0");
        }
    }
}
