package ai.molecule.common.config;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code DATABASE_URL} together with the certificates of {@code DATABASE_CA_FILE}, which go with it as {@code sslrootcert}. */
public final class DatabaseUrl {

    public static final String VARIABLE = "DATABASE_URL";
    public static final String CA_FILE = "DATABASE_CA_FILE";

    private static final Pattern OWN_CA = Pattern.compile("[?&]sslrootcert=");

    private DatabaseUrl() {}

    /** Null when there is none. {@link IllegalArgumentException} names the variable that is wrong. */
    public static @Nullable String find(Env env) {
        String url = env.find(VARIABLE);
        String file = env.variables().getOrDefault(CA_FILE, "").trim();
        if (url == null || file.isEmpty() || OWN_CA.matcher(url).find()) {
            return url;
        }
        return url
                + (url.contains("?") ? '&' : '?')
                + "sslrootcert="
                + URLEncoder.encode(checked(file).toString(), StandardCharsets.UTF_8);
    }

    private static Path checked(String file) {
        try {
            var path = Path.of(file).toAbsolutePath();
            try (var content = Files.newInputStream(path)) {
                if (!CertificateFactory.getInstance("X.509")
                        .generateCertificates(content)
                        .isEmpty()) {
                    return path;
                }
            }
        } catch (IOException | InvalidPathException | CertificateException unreadable) {
            // same answer as for a file without any
        }
        throw new IllegalArgumentException(CA_FILE + " must name a readable file of PEM certificates");
    }
}
