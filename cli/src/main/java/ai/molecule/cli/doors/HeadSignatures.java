package ai.molecule.cli.doors;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.common.audit.AuditChainCheck.KnownHead;
import ai.molecule.common.audit.AuditChainCheck.Signatures;
import ai.molecule.sdk.identity.KeySet;
import ai.molecule.sdk.identity.NotBelieved;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens the signed ends of the record with the platform's keys, those that are retired too. */
record HeadSignatures(KeySet keys) implements Signatures {

    private static final String TYPE = "molecule-audit-head+jwt";

    /** @throws LaunchFailure when there are none in the file */
    static KeySet keysIn(Path file) {
        try {
            var keys = KeySet.of(new ObjectMapper().readTree(file.toFile()));
            if (!keys.isEmpty()) {
                return keys;
            }
        } catch (IOException unreadable) {
            throw LaunchFailure.usersTurn(file + " cannot be read: " + unreadable.getMessage());
        }
        throw LaunchFailure.usersTurn(file + " has no keys in it, as ./molecule keys export writes them.");
    }

    @Override
    public @Nullable KnownHead under(String jws) {
        try {
            var claims = keys.verifyKept(jws, TYPE);
            return new KnownHead(
                    claims.path("seq").asLong(), claims.path("hash").asText());
        } catch (NotBelieved notThePlatforms) {
            return null;
        }
    }
}
