package ai.molecule.proxy.schedules;

import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

/** A replica of the proxy in a process of its own: arguments are the stores, the agents' address and how many agents there are. */
public final class ReplicaToKill {

    private static final String READY = "replica ready";

    private ReplicaToKill() {}

    public static void main(String[] args) {
        var vertx = Vertx.vertx();
        var platform = new StandInPlatform(vertx);
        settle(platform, args[2], Integer.parseInt(args[3]));
        ProxyUnderTest.start(vertx, platform, Scheduling.quick(args[0], args[1]), work -> work);
        System.out.println(READY);
    }

    /** The same agents in each process. */
    static void settle(StandInPlatform platform, String url, int agents) {
        for (int i = 0; i < agents; i++) {
            platform.put(id(i), url, true, WorkspaceStatus.ONLINE, false);
        }
    }

    static UUID id(int agent) {
        return new UUID(0x5C4E_D01E_0000_4000L, 0x8000_0000_0000_0000L | agent);
    }

    static Process start(String databaseUrl, String agentsUrl, int agents) throws IOException {
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ReplicaToKill.class.getName(),
                        databaseUrl,
                        TestStores.redisUrl(), // one of its own would outlive it
                        agentsUrl,
                        String.valueOf(agents))
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
