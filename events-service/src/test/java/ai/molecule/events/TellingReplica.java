package ai.molecule.events;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.KeptSecret;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/** A replica of the service in a process of its own, to be killed: arguments are the stores. */
public final class TellingReplica {

    private static final String READY = "replica ready";

    private TellingReplica() {}

    public static void main(String[] args) {
        var vertx = Vertx.vertx();
        var organisation = Organisation.on(vertx);
        serveSecrets(new Bus(vertx), "a-secret-of-some-length");
        EventsFixture.start(
                vertx,
                organisation,
                EventsFixture.quick(30_000, 60_000),
                "DATABASE_URL",
                args[0],
                "REDIS_URL",
                args[1]);
        System.out.println(READY);
    }

    /** For every target the same. */
    static void serveSecrets(Bus bus, String secret) {
        bus.serve(KeptSecret.CONTRACT, question -> Future.succeededFuture(new KeptSecret.Value(secret)))
                .await();
    }

    /** Once it serves, on the stores of this one. */
    static Process start(Map<String, String> stores) throws IOException {
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TellingReplica.class.getName(),
                        String.valueOf(stores.get("DATABASE_URL")),
                        String.valueOf(stores.get("REDIS_URL")))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        while (line != null && !line.equals(READY)) {
            line = out.readLine();
        }
        return process;
    }
}
