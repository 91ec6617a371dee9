package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Which branches may read a global secret: these workspaces and all below them.
 *
 * @param branches null for everybody who was admitted
 */
record Grants(@Nullable List<UUID> branches) {

    static final Grants EVERYBODY = new Grants(null);

    private static final int MAX = 100;

    /**
     * The member {@code grants}: empty when absent, so that a new value opens a secret to nobody else; null for everybody, else 1 to
     * 100 ids. Fails with INVALID for anything else.
     */
    static Optional<Grants> find(JsonBody body) {
        if (!body.has("grants")) {
            return Optional.empty();
        }
        var sent = body.node("grants");
        if (sent == null) {
            return Optional.of(EVERYBODY);
        }
        if (!sent.isArray() || sent.isEmpty() || sent.size() > MAX) {
            throw invalid();
        }
        return Optional.of(new Grants(StreamSupport.stream(sent.spliterator(), false)
                .map(id -> Ids.find(id.textValue()).orElseThrow(Grants::invalid))
                .distinct()
                .toList()));
    }

    static ApiError invalid() {
        return ApiError.invalid("grants must be null or name 1 to %d workspaces".formatted(MAX));
    }
}
