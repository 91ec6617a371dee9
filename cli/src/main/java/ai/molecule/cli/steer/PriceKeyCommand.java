package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.PrivateFiles;
import ai.molecule.common.models.PriceListKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes the keys of whoever publishes price lists. Speaks to no platform. */
@Command(
        name = "key",
        description = "Make a key to sign price lists with, and print its public key for MOLECULE_PRICE_LIST_KEY.",
        footer = {"", "Exit codes: 0 made, 2 the file is there already."})
final class PriceKeyCommand implements Callable<Integer> {

    private static final int LINE_CHARS = 64;

    @Parameters(paramLabel = "FILE", description = "Where the private key goes, which nobody else may read.")
    private Path file = Path.of("");

    private final Console console;

    PriceKeyCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        if (Files.exists(file)) {
            throw LaunchFailure.usersTurn("%s is there already. Name another file.".formatted(file));
        }
        var pair = pair();
        PrivateFiles.write(file, pem(pair));
        console.say("The private key is in %s. Keep it where only you reach it, and no platform: it signs prices."
                .formatted(file));
        console.out(Base64.getEncoder().encodeToString(pair.getPublic().getEncoded()));
        return 0;
    }

    private static KeyPair pair() {
        try {
            return KeyPairGenerator.getInstance(PriceListKeys.ALGORITHM).generateKeyPair();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static String pem(KeyPair pair) {
        var lines = Base64.getMimeEncoder(LINE_CHARS, new byte[] {'\n'});
        return "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
                .formatted(lines.encodeToString(pair.getPrivate().getEncoded()));
    }
}
