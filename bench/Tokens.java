import ai.molecule.sdk.identity.NotBelieved;
import ai.molecule.sdk.identity.PairTokenCheck;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;

/**
 * What a signed token costs, in processor time of one thread: signing (BouncyCastle, as the registry), checking at first sight (the JDK's provider,
 * as agents) and again from memory; a pair token and a passport three hops deep. Medians of rounds, in microseconds.
 *
 * <pre>java -cp 'cli/target/lib/*' bench/Tokens.java</pre>
 */
final class Tokens {

    private static final int ROUNDS = 9;
    private static final int EACH = 1_000;
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ME = UUID.randomUUID().toString();
    private static final Ed25519PrivateKeyParameters KEY = new Ed25519PrivateKeyParameters(new SecureRandom());

    interface Work {
        void run(String token) throws NotBelieved;
    }

    public static void main(String[] args) throws Exception {
        for (String type : List.of("molecule-pair+jwt", "molecule-passport+jwt")) {
            boolean pair = type.startsWith("molecule-pair");
            var signing = new ArrayList<Double>();
            var first = new ArrayList<Double>();
            var again = new ArrayList<Double>();
            for (int round = 0; round < ROUNDS; round++) {
                var check = new PairTokenCheck(ME, Tokens::jwks, InstantSource.system(), System::nanoTime);
                Work work = pair ? check::check : check::passport;
                List<String> tokens = new ArrayList<>();
                signing.add(perCall(() -> {
                    for (int i = 0; i < EACH / 4; i++) {
                        tokens.add(signed(type, claims(pair)));
                    }
                }, EACH / 4));
                if (pair) {
                    check.checkOrAsk(signed(type, claims(true))); // knows the keys from here on
                } else {
                    check.passportOrAsk(signed(type, claims(false)));
                }
                first.add(perCall(() -> all(tokens, work, 1), tokens.size()));
                again.add(perCall(() -> all(tokens, work, 20), tokens.size() * 20L));
            }
            System.out.printf(
                    "%-22s signing %6.1f   at first sight %6.1f   from memory %6.2f   (us, median of %d rounds)%n",
                    type, median(signing), median(first), median(again), ROUNDS);
        }
    }

    private static void all(List<String> tokens, Work work, int times) {
        try {
            for (int i = 0; i < times; i++) {
                for (String token : tokens) {
                    work.run(token);
                }
            }
        } catch (NotBelieved wrong) {
            throw new AssertionError(wrong);
        }
    }

    private static double perCall(Runnable what, long calls) {
        var threads = ManagementFactory.getThreadMXBean();
        long begun = threads.getCurrentThreadCpuTime();
        what.run();
        return (threads.getCurrentThreadCpuTime() - begun) / 1_000.0 / calls;
    }

    /** Of the second half of the rounds: the first ones warm up. */
    private static double median(List<Double> rounds) {
        var late = new ArrayList<>(rounds.subList(rounds.size() / 2, rounds.size()));
        late.sort(null);
        return late.get(late.size() / 2);
    }

    private static String claims(boolean pair) {
        long now = Instant.now().getEpochSecond();
        var claims = JSON.createObjectNode()
                .put("iss", "molecule")
                .put("sub", UUID.randomUUID().toString())
                .put("aud", ME)
                .put("iat", now)
                .put("exp", now + 60)
                .put("jti", UUID.randomUUID().toString());
        if (pair) {
            return claims.put("ver", 7).toString();
        }
        claims.put("name", "Kim").put("aud_name", "Me").put("budget", "0.40").put("work", UUID.randomUUID().toString());
        var act = claims.putObject("act").put("sub", UUID.randomUUID().toString()).put("name", "Writer");
        act.putObject("act").put("sub", UUID.randomUUID().toString()).put("name", "Lead");
        claims.putArray("tools").add("read").add("write").add("delegate_task");
        return claims.toString();
    }

    private static String signed(String type, String claims) {
        String header = "{\"alg\":\"EdDSA\",\"typ\":\"%s\",\"kid\":\"k\"}".formatted(type);
        String text = encoded(header) + "." + encoded(claims);
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        var signer = new Ed25519Signer();
        signer.init(true, KEY);
        signer.update(bytes, 0, bytes.length);
        return text + "." + BASE64.encodeToString(signer.generateSignature());
    }

    private static String encoded(String text) {
        return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static com.fasterxml.jackson.databind.JsonNode jwks() {
        var jwks = JSON.createObjectNode();
        jwks.putArray("keys")
                .addObject()
                .put("kty", "OKP")
                .put("crv", "Ed25519")
                .put("kid", "k")
                .put("x", BASE64.encodeToString(KEY.generatePublicKey().getEncoded()));
        return jwks;
    }
}
