package ai.molecule.common.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;

/**
 * What a member shows to the others and what it asks of them before a word is said on the event bus. All three are PEM texts.
 *
 * @param chain {@code MOLECULE_CLUSTER_CERTIFICATE}: the member's certificate, and those between it and an authority
 * @param key {@code MOLECULE_CLUSTER_KEY}: the certificate's private key; PKCS#8, PKCS#1 or SEC 1
 * @param authorities {@code MOLECULE_CLUSTER_CA}: whoever they signed is a member; two while one replaces the other. A
 *     self-signed certificate is its own authority
 */
public record ClusterCertificate(String chain, String key, String authorities) {

    /** {@link IllegalArgumentException} names the variable that holds something else or a certificate past its time. */
    public ClusterCertificate {
        check("MOLECULE_CLUSTER_CERTIFICATE", chain);
        check("MOLECULE_CLUSTER_CA", authorities);
        if (!key.contains("PRIVATE KEY-----") || key.contains("ENCRYPTED")) {
            throw new IllegalArgumentException("MOLECULE_CLUSTER_KEY must be a PEM private key without a password");
        }
    }

    private static void check(String variable, String pem) {
        boolean current = false;
        try {
            for (var certificate : certificates(pem)) {
                current |= certificate instanceof X509Certificate known && isCurrent(known);
            }
        } catch (CertificateException malformed) {
            throw new IllegalArgumentException(variable + " must be PEM certificates", malformed);
        }
        if (!current) {
            throw new IllegalArgumentException(variable + " holds no certificate that is valid today");
        }
    }

    private static Collection<? extends Certificate> certificates(String pem) throws CertificateException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem.getBytes(US_ASCII)));
    }

    private static boolean isCurrent(X509Certificate certificate) {
        try {
            certificate.checkValidity();
            return true;
        } catch (CertificateException pastOrFuture) {
            return false;
        }
    }

    /** Without the key: a config may end up in a log. */
    @Override
    public String toString() {
        return "ClusterCertificate[…]";
    }
}
