package ai.molecule.runtime.a2a;

import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;

/** For which version of the protocol a card is written. */
public enum CardForm {
    /** That of 0.3, and beside it where 1.0 is spoken: clients of both versions ask without saying which they speak. */
    BOTH,
    V0_3,
    V1_0;

    /** As {@code a2a.card} of config.yaml names it. @throws IllegalArgumentException for anything else */
    public static CardForm named(String name) {
        return switch (name.strip().toLowerCase(Locale.ROOT)) {
            case "both", "" -> BOTH;
            case "0.3" -> V0_3;
            case "1.0" -> V1_0;
            default -> throw new IllegalArgumentException("a2a.card is both, 0.3 or 1.0");
        };
    }

    /** What the caller names; a version there is no card of is passed over, for a card says which there are. */
    static CardForm of(HttpServerRequest request, CardForm otherwise) {
        String version = ProtocolVersion.named(request);
        if (ProtocolVersion.is10(version)) {
            return V1_0;
        }
        return ProtocolVersion.is03(version) ? V0_3 : otherwise;
    }
}
