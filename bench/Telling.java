import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.protocol.Protocol;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;

/**
 * {@code java -cp <the proxy's jars> Telling.java}: what it takes to tell a message and an event of 2 kB in the other version of A2A, in either
 * direction: medians of 400 batches of 200, in microseconds, after 20,000 to warm up; by the clock, and of the thread's own CPU, which others
 * on the machine lengthen less.
 */
class Telling {

    private static final String WORDS = "What an agent says in words. ".repeat(60);

    public static void main(String[] args) {
        var target = UUID.randomUUID();
        byte[] send03 = bytes("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":{\"kind\":\"message\",\"messageId\":\"m\","
                + "\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"" + WORDS + "\"},{\"kind\":\"data\",\"data\":{\"a\":1,\"b\":[1,2,3]}}],"
                + "\"contextId\":\"c\",\"metadata\":{\"k\":\"v\"}},\"configuration\":{\"blocking\":true}}}");
        byte[] send10 = ((Bridge.Crossing.Made) Bridge.of(send03, Map.of(), Protocol.V0_3, target)).bridge().request();
        byte[] event03 = bytes("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"artifact-update\",\"taskId\":\"t\",\"contextId\":\"c\",\"append\":true,"
                + "\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"" + WORDS + "\"}]},\"lastChunk\":false}}");
        byte[] event10 = Bridge.event(2, event03, Protocol.V1_0).getLast();
        System.out.println("bytes of message and event: " + send03.length + ", " + event03.length);
        measure("message of 0.3 to 1.0", () -> Bridge.of(send03, Map.of(), Protocol.V0_3, target));
        measure("message of 1.0 to 0.3", () -> Bridge.of(send10, Map.of(), Protocol.V1_0, target));
        measure("event of 0.3 to 1.0", () -> Bridge.event(2, event03, Protocol.V1_0));
        measure("event of 1.0 to 0.3", () -> Bridge.event(2, event10, Protocol.V0_3));
    }

    private static void measure(String what, Runnable work) {
        for (int i = 0; i < 20_000; i++) {
            work.run();
        }
        var threads = ManagementFactory.getThreadMXBean();
        double[] micros = new double[400];
        double[] cpu = new double[400];
        for (int batch = 0; batch < micros.length; batch++) {
            long begunCpu = threads.getCurrentThreadCpuTime();
            long begun = System.nanoTime();
            for (int i = 0; i < 200; i++) {
                work.run();
            }
            micros[batch] = (System.nanoTime() - begun) / 200e3;
            cpu[batch] = (threads.getCurrentThreadCpuTime() - begunCpu) / 200e3;
        }
        Arrays.sort(micros);
        Arrays.sort(cpu);
        System.out.printf(
                "%s: %.1f us (least %.1f), %.1f us of CPU%n", what, micros[200], micros[0], cpu[200]);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
