package ai.molecule.cli.share;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.PrivateFiles;
import ai.molecule.common.cluster.NewCertificate;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** What proves the door to be this one: given, or made for a name and kept, so that whoever trusted it once is not asked again. */
record ShareCertificate(Path chain, Path key) {

    private static final int DAYS = 397; // browsers believe none that holds longer

    static ShareCertificate given(Path chain, Path key) {
        for (var file : List.of(chain, key)) {
            if (!Files.isReadable(file)) {
                throw LaunchFailure.usersTurn(file + " cannot be read.");
            }
        }
        return new ShareCertificate(chain, key);
    }

    /** Of the secrets of a data folder; made anew where it is for another name, or over. */
    static ShareCertificate of(Path secrets, String host) throws IOException {
        var kept = new ShareCertificate(secrets.resolve("share-certificate.pem"), secrets.resolve("share-key.pem"));
        if (!kept.holdsFor(host)) {
            var fresh = NewCertificate.make(secrets, "molecule", host, DAYS);
            PrivateFiles.write(kept.key, fresh.key());
            PrivateFiles.write(kept.chain, fresh.chain());
        }
        return kept;
    }

    private boolean holdsFor(String host) {
        try {
            var certificate = first();
            certificate.checkValidity();
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return Files.exists(key)
                    && names != null
                    && names.stream().anyMatch(name -> name.get(1).equals(host));
        } catch (GeneralSecurityException | IOException otherOrOver) {
            return false;
        }
    }

    /** The names and addresses that it is for, as it has them; none of one that cannot be read. */
    List<String> names() {
        try {
            Collection<List<?>> names = first().getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .map(name -> name.get(1))
                            .filter(String.class::isInstance)
                            .map(String.class::cast)
                            .toList();
        } catch (GeneralSecurityException | IOException unreadable) {
            return List.of();
        }
    }

    /** SHA-256, as browsers show it. */
    String fingerprint() throws IOException {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(first().getEncoded());
            return HexFormat.ofDelimiter(":").formatHex(digest).toUpperCase(Locale.ROOT);
        } catch (GeneralSecurityException unreadable) {
            throw LaunchFailure.usersTurn(chain + " holds no certificate.");
        }
    }

    private X509Certificate first() throws IOException, GeneralSecurityException {
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(chain)));
    }

    PemKeyCertOptions options() throws IOException {
        return new PemKeyCertOptions()
                .addCertValue(Buffer.buffer(Files.readAllBytes(chain)))
                .addKeyValue(Buffer.buffer(Files.readAllBytes(key)));
    }
}
