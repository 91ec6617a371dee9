package ai.molecule.cli.steer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.common.models.PriceList;
import ai.molecule.common.models.PriceListKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Signs a price list for those who publish one. Speaks to no platform. */
@Command(
        name = "sign",
        description = "Check a price list and write its signature beside it, as FILE.sig.",
        footer = {"", "Exit codes: 0 signed, 2 the list or the key cannot be used."})
final class SignPricesCommand implements Callable<Integer> {

    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";
    private static final int KEY_MAX_CHARS = 4_096;

    @Parameters(paramLabel = "FILE", description = "The price list (docs/models.md).")
    private Path file = Path.of("");

    @Option(
            names = "--key",
            required = true,
            paramLabel = "FILE",
            description = "The private key, as molecule price key writes it (Ed25519, PEM).")
    private Path key = Path.of("");

    private final Console console;

    SignPricesCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        byte[] content = read(file);
        PriceList list;
        try {
            list = PriceList.read(content, file.toString());
        } catch (IllegalArgumentException wrong) {
            throw LaunchFailure.usersTurn("Not signed: %s.".formatted(wrong.getMessage()));
        }
        Path signature = file.resolveSibling(file.getFileName() + PriceListKeys.SIGNATURE_SUFFIX);
        Files.writeString(signature, sign(content) + "\n");
        console.say("Signed the list of %s with %d providers. Publish %s and %s together."
                .formatted(list.dated(), list.prices().size(), file, signature));
        return 0;
    }

    private String sign(byte[] content) throws IOException {
        String pem = new String(read(key), US_ASCII);
        try {
            if (pem.length() > KEY_MAX_CHARS) {
                throw new IllegalArgumentException("too long for a key");
            }
            byte[] encoded = Base64.getDecoder()
                    .decode(pem.replace(BEGIN, "").replace(END, "").replaceAll("\\s", ""));
            var signer = Signature.getInstance(PriceListKeys.ALGORITHM);
            signer.initSign(
                    KeyFactory.getInstance(PriceListKeys.ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(encoded)));
            signer.update(content);
            return Base64.getEncoder().encodeToString(signer.sign());
        } catch (IllegalArgumentException | GeneralSecurityException wrong) {
            throw LaunchFailure.usersTurn(
                    "%s holds no private key of Ed25519 as PEM. Make one with ./molecule price key FILE."
                            .formatted(key));
        }
    }

    private static byte[] read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw LaunchFailure.usersTurn("There is no file %s.".formatted(file));
        }
        try (var content = Files.newInputStream(file)) {
            return content.readNBytes(PriceList.MAX_BYTES + 1);
        }
    }
}
