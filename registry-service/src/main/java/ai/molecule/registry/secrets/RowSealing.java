package ai.molecule.registry.secrets;

import ai.molecule.common.bus.registry.OpenSecret;
import ai.molecule.common.bus.registry.SealSecret;
import ai.molecule.registry.secrets.Vault.Place;
import ai.molecule.registry.secrets.Vault.Sealed;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;

/** Seals and opens what other services keep in rows of their own, written as {@code <version>:<key id>:<Base64>}. */
public record RowSealing(Vault vault) {

    private static final int PARTS = 3;

    /** Serves {@link SealSecret}. */
    public Future<SealSecret.Sealed> seal(SealSecret secret) {
        var sealed = vault.seal(Place.elsewhere(secret.place()), secret.value());
        String key = sealed.version() + ":" + Objects.requireNonNullElse(sealed.keyId(), "") + ":";
        String bytes = Base64.getEncoder().encodeToString(sealed.bytes().getBytes());
        return Future.succeededFuture(new SealSecret.Sealed(key + bytes, key));
    }

    /** Serves {@link OpenSecret}. */
    public Future<OpenSecret.Value> open(OpenSecret question) {
        return Future.succeededFuture(new OpenSecret.Value(read(question.text())
                .flatMap(row -> vault.open(Place.elsewhere(question.place()), row))
                .orElse(null)));
    }

    private static Optional<Sealed> read(String text) {
        String[] parts = text.split(":", PARTS);
        if (parts.length < PARTS) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Sealed(
                    Buffer.buffer(Base64.getDecoder().decode(parts[2])),
                    Integer.parseInt(parts[0]),
                    parts[1].isEmpty() ? null : parts[1]));
        } catch (IllegalArgumentException noneOfOurs) {
            return Optional.empty();
        }
    }
}
