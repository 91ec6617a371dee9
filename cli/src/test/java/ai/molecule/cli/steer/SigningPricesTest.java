package ai.molecule.cli.steer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Screen;
import ai.molecule.common.models.PriceListKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code molecule price key} and {@code molecule price sign}: what whoever publishes a price list needs. */
class SigningPricesTest {

    private static final String LIST =
            "{\"dated\":\"2026-12-01\",\"prices\":[{\"model\":\"far:new\",\"in\":1,\"out\":2}]}";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final Screen screen = new Screen();

    @Test
    void a_list_that_was_signed_is_believed_by_the_public_key_that_was_printed() throws IOException {
        Path key = folder.resolve("private.pem");
        Path list = Files.writeString(folder.resolve("prices.json"), LIST);

        assertThat(run(new PriceKeyCommand(screen.console()), key.toString())).isZero();
        var keys = PriceListKeys.read(screen.out());
        assertThat(run(new SignPricesCommand(screen.console()), list.toString(), "--key", key.toString()))
                .isZero();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        String signature = Files.readString(folder.resolve("prices.json.sig"));
        assertThat(keys.haveSigned(LIST.getBytes(UTF_8), signature)).isTrue();
        assertThat(screen.err()).contains("Signed the list of 2026-12-01 with 1 providers");
    }

    @Test
    void a_key_that_is_there_is_not_written_over() throws IOException {
        Path key = Files.writeString(folder.resolve("private.pem"), "mine");

        assertThat(run(new PriceKeyCommand(screen.console()), key.toString())).isEqualTo(2);

        assertThat(key).hasContent("mine");
        assertThat(screen.err()).contains("is there already");
    }

    @Test
    void what_is_no_list_or_no_key_is_not_signed() throws IOException {
        Path list = Files.writeString(folder.resolve("prices.json"), LIST);
        Path wrong = Files.writeString(folder.resolve("wrong.json"), "{\"dated\":\"2026-12-01\",\"prices\":[{}]}");
        Path key = folder.resolve("private.pem");
        run(new PriceKeyCommand(screen.console()), key.toString());

        assertThat(run(new SignPricesCommand(screen.console()), wrong.toString(), "--key", key.toString()))
                .isEqualTo(2);
        assertThat(run(new SignPricesCommand(screen.console()), list.toString(), "--key", list.toString()))
                .isEqualTo(2);
        assertThat(run(new SignPricesCommand(screen.console()), list.toString(), "--key", "/nowhere"))
                .isEqualTo(2);

        assertThat(screen.err())
                .contains(
                        "a price whose model is not provider:model",
                        "holds no private key",
                        "There is no file /nowhere");
        assertThat(folder.resolve("prices.json.sig")).doesNotExist();
        assertThat(folder.resolve("wrong.json.sig")).doesNotExist();
    }

    private int run(Object command, String... words) {
        return new CommandLine(command)
                .setExecutionExceptionHandler((failure, failed, parsed) -> {
                    if (failure instanceof LaunchFailure known) {
                        screen.console().say(known.sentence());
                        return known.exitCode();
                    }
                    throw failure;
                })
                .execute(words);
    }
}
