package ai.molecule.cli.doors;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import ai.molecule.common.audit.AuditChainCheck;
import ai.molecule.common.json.Json;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code molecule audit}, against a platform that exports what it is told to, and against none. */
class CheckingTheRecordTest {

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final Screen screen = new Screen();
    private final List<String> asked = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private String lastHash = "";
    private HttpServer platform;

    @TempDir
    Path folder;

    @BeforeEach
    void recordThreeRows() throws IOException {
        var base = "0".repeat(64);
        lastHash = base;
        for (int seq = 1; seq <= 3; seq++) {
            String entry = "{\"verb\": \"secret.changed\", \"object\": \"KEY_%d\"}".formatted(seq);
            lastHash = AuditChainCheck.link(lastHash, seq, entry);
            lines.add(Json.text(
                    Json.object().put("seq", seq).put("hash", lastHash).put("entry", entry)));
        }
        lines.addFirst("{\"chain\":{\"base_seq\":0,\"base_hash\":\"%s\",\"seq\":3,\"hash\":\"%s\",\"waiting\":2}}"
                .formatted(base, lastHash));
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Accept"));
            byte[] bytes = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        platform.start();
    }

    @AfterEach
    void stopPlatform() {
        platform.stop(0);
    }

    @Test
    void a_record_that_is_whole_is_said_to_be_and_what_is_not_in_the_chain_yet_too() {
        assertThat(run("verify", "--url", url())).isZero();

        assertThat(screen.out()).contains("Every row up to 3 is there and as it was recorded.");
        assertThat(screen.err()).contains("2 more had yet to be linked");
        assertThat(asked).containsExactly("/audit application/jsonl");
    }

    @Test
    void a_file_is_checked_without_the_platform_and_its_first_wrong_row_is_named() throws IOException {
        var file = folder.resolve("record.jsonl");
        assertThat(run("export", "--url", url(), file.toString())).isZero();
        platform.stop(0);
        assertThat(run("verify", file.toString())).isZero();

        Files.writeString(file, Files.readString(file).replace("KEY_2", "KEY_X"));

        assertThat(run("verify", file.toString())).isEqualTo(1);
        assertThat(screen.out()).contains("Row 2 is not what was recorded after row 1");
    }

    @Test
    void an_end_that_was_kept_elsewhere_is_asked_for() {
        assertThat(run("verify", "--url", url(), "--head", "3:" + lastHash)).isZero();
        assertThat(run("verify", "--url", url(), "--head", "3:" + "a".repeat(64)))
                .isEqualTo(1);
        assertThat(run("verify", "--url", url(), "--head", "4:" + lastHash)).isEqualTo(1);
        assertThat(run("verify", "--url", url(), "--head", "three")).isEqualTo(2);

        assertThat(screen.out()).contains("Row 3 has another hash than it had", "Row 4, which was the end once");
    }

    @Test
    void with_the_platforms_keys_an_end_that_it_signed_is_asked_for() throws Exception {
        var pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        var keys = Files.writeString(folder.resolve("keys.json"), jwks(pair));
        assertThat(run("verify", "--url", url(), "--keys", keys.toString())).isEqualTo(1);
        assertThat(screen.out()).contains("No end of it is signed");

        lines.add(1, "{\"head\":{\"seq\":3,\"jws\":\"%s\"}}".formatted(head(pair, lastHash)));
        assertThat(run("verify", "--url", url())).isZero();
        assertThat(screen.err()).contains("1 ends of it are signed");
        assertThat(run("verify", "--url", url(), "--keys", keys.toString())).isZero();
        assertThat(screen.err()).contains("The platform's key signed it up to row 3.");

        lines.set(1, "{\"head\":{\"seq\":3,\"jws\":\"%s\"}}".formatted(head(pair, "a".repeat(64))));
        assertThat(run("verify", "--url", url(), "--keys", keys.toString())).isEqualTo(1);
        assertThat(screen.out()).contains("Row 3 has another hash than the platform signed");
        var stranger = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        lines.set(1, "{\"head\":{\"seq\":3,\"jws\":\"%s\"}}".formatted(head(stranger, lastHash)));
        assertThat(run("verify", "--url", url(), "--keys", keys.toString())).isEqualTo(1);
        assertThat(screen.out()).contains("The signature of the end at row 3 is not the platform's.");
        assertThat(run(
                        "verify",
                        "--url",
                        url(),
                        "--keys",
                        folder.resolve("none").toString()))
                .isEqualTo(2);
    }

    /** Retired: what it signed is kept longer than it is. */
    private static String jwks(KeyPair pair) {
        byte[] encoded = pair.getPublic().getEncoded();
        String x = BASE64.encodeToString(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length));
        String key = "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"%s\",\"x\":\"%s\"}";
        return "{\"keys\":[%s],\"retired\":[%s]}".formatted(key.formatted("other", x), key.formatted("k", x));
    }

    private String head(KeyPair pair, String hash) throws GeneralSecurityException {
        String text = encoded("{\"alg\":\"EdDSA\",\"typ\":\"molecule-audit-head+jwt\",\"kid\":\"k\"}") + "."
                + encoded("{\"seq\":3,\"hash\":\"%s\"}".formatted(hash));
        var signer = Signature.getInstance("Ed25519");
        signer.initSign(pair.getPrivate());
        signer.update(text.getBytes(StandardCharsets.US_ASCII));
        return text + "." + BASE64.encodeToString(signer.sign());
    }

    private static String encoded(String json) {
        return BASE64.encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void what_is_no_record_is_said_to_be_none() throws IOException {
        var file = Files.writeString(folder.resolve("letter"), "Dear reader\n");

        assertThat(run("verify", file.toString())).isEqualTo(1);
        assertThat(run("verify", folder.resolve("nothing").toString())).isEqualTo(2);

        assertThat(screen.out()).contains("This is no record");
    }

    private String url() {
        return "http://127.0.0.1:" + platform.getAddress().getPort();
    }

    private int run(String... words) {
        return new CommandLine(new AuditCommand(screen.console(), MoleculeHome.fromSystemProperties()))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    screen.console().say(((LaunchFailure) failure).sentence());
                    return ((LaunchFailure) failure).exitCode();
                })
                .execute(words);
    }
}
