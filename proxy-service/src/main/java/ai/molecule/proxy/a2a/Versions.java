package ai.molecule.proxy.a2a;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.Protocol;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which version of the protocol a request uses, and what is answered to a version that is not served (decision 35). */
final class Versions {

    static final String HEADER = "A2A-Version";

    private Versions() {}

    /**
     * @param named what the header or the query parameter says; nothing means 0.3
     * @return empty when no agent could be asked in that version
     */
    static Optional<Protocol> of(@Nullable String named, String method) {
        String version = named == null ? "" : named.strip();
        boolean is03 = version.isEmpty() || version.equals("0.3") || version.startsWith("0.3.");
        boolean is10 = version.equals("1.0") || version.startsWith("1.0.");
        if (!is03 && !is10) {
            return Optional.empty();
        }
        return Optional.of(is10 || Protocol.V1_0.owns(method) ? Protocol.V1_0 : Protocol.V0_3);
    }

    /** As {@link #of}, for a request that was let through. */
    static Protocol protocolOf(@Nullable String named, String method) {
        return of(named, method).orElse(Protocol.V0_3);
    }

    /** The JSON-RPC error -32009 as 1.0 words it; {@code named} is repeated when it is short enough to be a version. */
    static A2aAnswer notSupported(String rpcId, String named) {
        String version = named.matches("[0-9.]{1,16}") ? named : "of that version";
        var error = Json.object()
                .put("code", -32009)
                .put("message", "A2A " + version + " is not supported, this agent speaks 0.3");
        var info = error.putArray("data")
                .addObject()
                .put("@type", "type.googleapis.com/google.rpc.ErrorInfo")
                .put("reason", "VERSION_NOT_SUPPORTED")
                .put("domain", "a2a-protocol.org");
        info.putObject("metadata").put("supportedVersions", "0.3");
        return Rpc.answer(rpcId, "error", Json.text(error));
    }
}
