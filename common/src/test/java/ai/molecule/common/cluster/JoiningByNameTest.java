package ai.molecule.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members that know one name, which means all of their addresses, as that of a headless service does. They run in a JVM of their
 * own, because a JVM takes its names from a file of ours only when it was started so.
 */
class JoiningByNameTest {

    private static final long PATIENCE_SECONDS = 120;

    private static String said = "";

    @BeforeAll
    static void run(@TempDir Path folder) throws IOException, InterruptedException {
        assumeTrue(hasManyAddresses(), "this machine has no loopback address besides 127.0.0.1");
        var hosts = Files.createFile(folder.resolve("hosts"));
        var log = folder.resolve("log");
        var process = new ProcessBuilder(command(folder, hosts))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .redirectInput(new File("/dev/null"))
                .start();
        try {
            process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            said = Files.readString(log);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void a_member_starts_among_those_that_its_name_leads_to() {
        assertThat(said).contains(MembersByName.AT_ONCE);
    }

    /** Pods that start together are there before the name leads to any but themselves. */
    @Test
    void a_member_that_began_without_the_others_joins_them_when_the_name_leads_there() {
        assertThat(said).contains(MembersByName.LATER);
    }

    private static List<String> command(Path folder, Path hosts) {
        var command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-javaagent") && !option.startsWith("-agentlib"))
                .forEach(command::add);
        command.addAll(List.of(
                "-Djdk.net.hosts.file=" + hosts,
                "-cp",
                System.getProperty("java.class.path"),
                MembersByName.class.getName(),
                folder.toString(),
                hosts.toString()));
        return command;
    }

    private static boolean hasManyAddresses() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
            return socket.isBound();
        } catch (IOException none) {
            return false;
        }
    }
}
