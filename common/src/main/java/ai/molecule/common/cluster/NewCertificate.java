package ai.molecule.common.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes a self-signed certificate for a cluster on one machine, with the keytool that comes with every Java runtime. */
public final class NewCertificate {

    /** Ten years: nobody renews what never leaves the machine, and a leak is answered by making another. */
    private static final String VALID_DAYS = "3650";

    private static final long KEYTOOL_SECONDS = 120;
    private static final String ALIAS = "cluster";
    private static final String PASSWORD_VARIABLE = "KEYSTORE_PASSWORD";
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII));

    private NewCertificate() {}

    /**
     * @param folder private to this user: the key lies there, encrypted, until this returns
     * @return P-256, its own authority
     */
    public static ClusterCertificate make(Path folder) throws IOException {
        return make(folder, "molecule-cluster", VALID_DAYS, List.of());
    }

    /**
     * The same for a server that others find by a name or an address.
     *
     * @param host what they call it
     * @param days how long it holds
     */
    public static ClusterCertificate make(Path folder, String name, String host, int days) throws IOException {
        boolean address = host.matches("[0-9.]+") || host.contains(":");
        return make(folder, name, String.valueOf(days), List.of("-ext", "SAN=" + (address ? "ip:" : "dns:") + host));
    }

    private static ClusterCertificate make(Path folder, String name, String days, List<String> extensions)
            throws IOException {
        Path keystore = folder.resolve("cluster.p12.new");
        var random = new byte[32];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        try {
            Files.deleteIfExists(keystore);
            keytool(keystore, password, name, days, extensions);
            return read(Files.readAllBytes(keystore), password.toCharArray());
        } finally {
            Files.deleteIfExists(keystore);
        }
    }

    private static void keytool(Path keystore, String password, String name, String days, List<String> extensions)
            throws IOException {
        var words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                ALIAS,
                "-dname",
                "CN=" + name,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                days,
                "-storetype",
                "PKCS12",
                "-keystore",
                keystore.toString(),
                "-storepass:env",
                PASSWORD_VARIABLE));
        words.addAll(extensions);
        var builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put(PASSWORD_VARIABLE, password);
        var process = builder.start();
        process.getOutputStream().close();
        try {
            if (!process.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("keytool took more than " + KEYTOOL_SECONDS + " s");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while keytool made a certificate", interrupted);
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new IOException("keytool could not make a certificate: "
                    + new String(process.getInputStream().readNBytes(500), US_ASCII).strip());
        }
    }

    private static ClusterCertificate read(byte[] keystore, char[] password) throws IOException {
        try {
            var entries = KeyStore.getInstance("PKCS12");
            entries.load(new ByteArrayInputStream(keystore), password);
            String certificate =
                    pem("CERTIFICATE", entries.getCertificate(ALIAS).getEncoded());
            String key = pem("PRIVATE KEY", entries.getKey(ALIAS, password).getEncoded());
            return new ClusterCertificate(certificate, key, certificate);
        } catch (GeneralSecurityException unexpected) {
            throw new IOException("keytool made something unreadable", unexpected);
        }
    }

    private static String pem(String kind, byte[] content) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, LINES.encodeToString(content), kind);
    }
}
