import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * From creating a workspace until its agent is online, alone and many at once, and from the death of an agent's process until it is
 * online again. Arguments: the registry's URL, the front door's, runs, how many at once. Looks every 20 ms.
 */
public final class Starts {

    private static final Pattern ID = Pattern.compile("\"id\":\"([0-9a-f-]{36})\"");
    private static final Pattern STATUS = Pattern.compile("\"status\":\"([a-z_]+)\"");
    private static final long PATIENCE_MS = 120_000;

    private final HttpClient http = HttpClient.newHttpClient();
    private final String registry;
    private final String frontDoor;

    private Starts(String registry, String frontDoor) {
        this.registry = registry;
        this.frontDoor = frontDoor;
    }

    public static void main(String[] args) throws Exception {
        var bench = new Starts(args[0], args[1]);
        int runs = Integer.parseInt(args[2]);
        int many = Integer.parseInt(args[3]);
        bench.alone(1); // classes and pools of the platform
        print("create -> online, one at a time", bench.alone(runs));
        bench.together(many);
        print("kill -9 -> online, nobody calls", bench.killed(runs, false));
        print("kill -9 -> online, a call notices it", bench.killed(runs, true));
    }

    private long[] alone(int runs) throws Exception {
        long[] took = new long[runs];
        for (int i = 0; i < runs; i++) {
            long began = System.nanoTime();
            String id = create("Alone " + i);
            awaitOnline(id);
            took[i] = since(began);
            remove(id);
        }
        return took;
    }

    private void together(int many) throws Exception {
        long began = System.nanoTime();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            ids.add(create("Together " + i));
        }
        long[] took = new long[many];
        for (int i = 0; i < many; i++) {
            awaitOnline(ids.get(i));
            took[i] = since(began);
        }
        System.out.printf("%d created at once, all online after %d ms%n", many, Arrays.stream(took).max().orElse(0));
        for (String id : ids) {
            remove(id);
        }
    }

    /** A new workspace for each: several deaths of one would make it wait longer and longer. */
    private long[] killed(int runs, boolean call) throws Exception {
        long[] took = new long[runs];
        for (int i = 0; i < runs; i++) {
            String id = create("Mortal " + i);
            awaitOnline(id);
            String mark = "-Dmolecule.workspace=" + id;
            var process = ProcessHandle.allProcesses()
                    .filter(one -> one.info().commandLine().orElse("").contains(mark))
                    .findFirst()
                    .orElseThrow();
            long began = System.nanoTime();
            process.destroyForcibly();
            process.onExit().join();
            if (call) {
                send(frontDoor + "/workspaces/" + id + "/a2a", "POST", """
                        {"method":"message/send","params":{"message":{"role":"user","parts":[{"kind":"text","text":"hello"}]}}}""");
            }
            while (online(id) && since(began) < 1_000) {
                Thread.sleep(5); // its end is not noticed yet
            }
            awaitOnline(id);
            took[i] = since(began);
            remove(id);
        }
        return took;
    }

    private String create(String name) throws Exception {
        return find(ID, send(registry + "/workspaces", "POST", "{\"name\":\"" + name + "\",\"runtime\":\"echo\"}"));
    }

    private void remove(String id) throws Exception {
        send(registry + "/workspaces/" + id + "?confirm=true&purge=true", "DELETE", "");
    }

    private void awaitOnline(String id) throws Exception {
        long began = System.nanoTime();
        while (!online(id)) {
            if (since(began) > PATIENCE_MS) {
                throw new IllegalStateException(id + " is not online");
            }
            Thread.sleep(20);
        }
    }

    private boolean online(String id) throws Exception {
        return find(STATUS, send(registry + "/workspaces/" + id, "GET", "")).equals("online");
    }

    private String send(String url, String method, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url)).method(method, BodyPublishers.ofString(body));
        return http.send(request.build(), BodyHandlers.ofString()).body();
    }

    private static String find(Pattern pattern, String text) {
        var found = pattern.matcher(text);
        if (!found.find()) {
            throw new IllegalStateException(text);
        }
        return found.group(1);
    }

    private static long since(long began) {
        return (System.nanoTime() - began) / 1_000_000;
    }

    private static void print(String what, long[] took) {
        Arrays.sort(took);
        System.out.printf(
                "%s: p50 %d ms (%d to %d, %d runs)%n",
                what, took[took.length / 2], took[0], took[took.length - 1], took.length);
    }
}
