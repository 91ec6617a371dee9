package ai.molecule.registry.passports;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Which passports are believed no more.
 *
 * @param value the {@code jti} of a passport, the id of a work, or how somebody is known
 * @param revokedBy the credential that was shown for it, as we saw it
 */
record Revocation(UUID id, Kind kind, String value, String reason, String revokedBy, Instant revokedAt) {

    enum Kind {
        /** That one, and all that was handed on from it. */
        PASSPORT,
        /** All of a piece of work, later ones too. */
        WORK,
        /** All that were issued on somebody's behalf until then. */
        PRINCIPAL;

        static Optional<Kind> find(String word) {
            return Stream.of(values()).filter(kind -> kind.wire().equals(word)).findFirst();
        }

        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    ObjectNode toJson() {
        return Json.object()
                .put("id", id.toString())
                .put("kind", kind.wire())
                .put("value", value)
                .put("reason", reason)
                .put("revoked_by", revokedBy)
                .put("revoked_at", Json.time(revokedAt));
    }
}
