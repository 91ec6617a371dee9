import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Gives each job of a folder to an agent with a recorded model, kills the agent once at a random moment of it, and asks the job's checker about
 * what is in the agent's folder after the answer. See bench/README.md.
 */
class Work {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration ANSWER_MAX = Duration.ofSeconds(150);
    private static final Duration START_MAX = Duration.ofSeconds(120);
    private static final Pattern PAUSE = Pattern.compile("(?m)^== (\\d+) ms$");

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final Path data;
    private final Path scratch;
    private final List<Path> jobs;
    private final Random random;

    /** @param args the platform's URL, its data folder, a folder for the jobs to work in, the jobs' folder, the seed, and a job or none */
    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[4]);
        List<Path> jobs;
        try (var folders = Files.list(Path.of(args[3]))) {
            jobs = folders.filter(Files::isDirectory)
                    .filter(job -> args.length < 6 || job.getFileName().toString().equals(args[5]))
                    .sorted()
                    .toList();
        }
        System.exit(new Work(args[0], Path.of(args[1]), Path.of(args[2]), jobs, seed).run() ? 0 : 1);
    }

    private Work(String url, Path data, Path scratch, List<Path> jobs, long seed) {
        this.url = url;
        this.data = data;
        this.scratch = scratch;
        this.jobs = jobs;
        this.random = new Random(seed);
        System.out.println("seed " + seed);
    }

    private boolean run() throws Exception {
        for (Path job : jobs) {
            prepare(job);
        }
        Map<String, String> ids = hire();
        int good = 0;
        for (Path job : jobs) {
            String problem = problemOf(job, ids.get(name(job)));
            good += problem.isEmpty() ? 1 : 0;
            if (!problem.isEmpty()) {
                System.out.println("    " + problem.strip().replace("\n", "\n    "));
            }
        }
        System.out.println(good + " of " + jobs.size());
        return good == jobs.size() && good > 0;
    }

    /** Agents may have a user of their own, so the copy is for everybody. */
    private void prepare(Path job) throws Exception {
        Path folder = Files.createDirectories(folder(job));
        if (Files.exists(job.resolve("work"))) {
            try (var files = Files.walk(job.resolve("work"))) {
                for (Path file : files.sorted().toList()) {
                    Path to = folder.resolve(job.resolve("work").relativize(file).toString());
                    if (!Files.isDirectory(file)) {
                        Files.copy(file, to, StandardCopyOption.COPY_ATTRIBUTES);
                    } else {
                        Files.createDirectories(to);
                    }
                }
            }
        }
        if (Files.exists(job.resolve("seed"))) {
            shell(folder, Map.of(), job.resolve("seed").toString());
        }
        shell(folder, Map.of(), "chmod", "-R", "a+rwX", ".");
    }

    /** An agent for each, in one organisation; their ids by name. */
    private Map<String, String> hire() throws Exception {
        Path folder = Files.createDirectories(data.resolve("org-templates").resolve("work"));
        var yaml = new StringBuilder("name: Work\ndefaults: {runtime: langgraph, tier: 3}\nworkspaces:\n");
        for (Path job : jobs) {
            Path agent = Files.createDirectories(folder.resolve(name(job)));
            Files.copy(job.resolve("recording.txt"), agent.resolve("recording.txt"));
            Files.writeString(agent.resolve("config.yaml"), "tools: [files, run, request_approval]\n");
            yaml.append("  - name: ").append(name(job)).append("\n    files_dir: ").append(name(job));
            yaml.append("\n    model: recorded:recording.txt\n    workspace_access: read_write\n    workspace_dir: ");
            yaml.append(folder(job)).append('\n');
        }
        Files.writeString(folder.resolve("org.yaml"), yaml);
        call("POST", "/org/import", "{\"dir\":\"work\"}", Duration.ofMinutes(1));
        long deadline = System.nanoTime() + START_MAX.toNanos();
        while (true) {
            Map<String, String> online = new HashMap<>();
            for (JsonNode agent : call("GET", "/workspaces", null, Duration.ofSeconds(10))) {
                if (agent.path("status").asText().equals("online")) {
                    online.put(agent.path("name").asText(), agent.path("id").asText());
                }
            }
            if (jobs.stream().allMatch(job -> online.containsKey(name(job)))) {
                return online;
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("not every agent came online: " + online.keySet());
            }
            Thread.sleep(200);
        }
    }

    /** Empty when the job was done although its agent was killed in the middle. */
    private String problemOf(Path job, String id) throws Exception {
        int length = PAUSE.matcher(Files.readString(job.resolve("recording.txt"))).results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .sum();
        int moment = 100 + random.nextInt(length - 300);
        long begun = System.nanoTime();
        var answer = CompletableFuture.supplyAsync(() -> ask(id, job));
        Thread.sleep(moment);
        boolean killed = !answer.isDone() && kill(id);
        int approvals = 0;
        JsonNode told = null;
        while (told == null && System.nanoTime() - begun < ANSWER_MAX.toNanos()) {
            approvals += approve();
            try {
                told = answer.get(300, TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                // a person would wait, too
            }
        }
        String said = told == null
                ? "no answer"
                : Stream.of(told.at("/result/artifacts"), told.at("/result/parts"), told)
                        .flatMap(node -> node.findValuesAsText("text").stream())
                        .findFirst()
                        .orElse(told.toString());
        System.out.printf(
                "%-26s %s %.1f s in, answered after %.1f s: %s%n",
                name(job),
                killed ? "killed" : "NOT killed",
                moment / 1000.0,
                (System.nanoTime() - begun) / 1e9,
                said.lines().reduce((first, last) -> last).orElse(""));
        var checked = shell(
                folder(job),
                Map.of("JOB", job.toAbsolutePath().toString(), "APPROVALS", String.valueOf(approvals)),
                job.resolve("check").toString());
        return !killed
                ? "it was over before its agent could be killed"
                : checked.isEmpty() && told != null ? "" : "the check fails: " + checked + "\nthe agent said: " + said;
    }

    private JsonNode ask(String id, Path job) {
        try {
            var message = JSON.createObjectNode().put("role", "user").put("messageId", "work-" + name(job));
            message.putArray("parts")
                    .addObject()
                    .put("kind", "text")
                    .put("text", Files.readString(job.resolve("task.txt")));
            var request = JSON.createObjectNode().put("method", "message/send");
            request.putObject("params").set("message", message);
            var answer = call("POST", "/workspaces/" + id + "/a2a", request.toString(), ANSWER_MAX);
            return answer.path("delivered").asBoolean() // killed before it had written down what it was asked: sent again it is the same task
                    ? call("POST", "/workspaces/" + id + "/a2a", request.toString(), ANSWER_MAX)
                    : answer;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int approve() throws Exception {
        int decided = 0;
        for (JsonNode one : call("GET", "/approvals/pending", null, Duration.ofSeconds(10))) {
            call(
                    "POST",
                    "/workspaces/" + one.path("workspace_id").asText() + "/approvals/" + one.path("id").asText() + "/decide",
                    "{\"decision\":\"approved\"}",
                    Duration.ofSeconds(10));
            decided++;
        }
        return decided;
    }

    /** The agent's process alone, at once. */
    private static boolean kill(String id) {
        return ProcessHandle.allProcesses()
                .filter(process -> isAgent(process, id))
                .findFirst()
                .map(ProcessHandle::destroyForcibly)
                .orElse(false);
    }

    private static boolean isAgent(ProcessHandle process, String id) {
        try {
            var environment = Files.readString(Path.of("/proc", "" + process.pid(), "environ"), StandardCharsets.ISO_8859_1);
            var command = Files.readString(Path.of("/proc", "" + process.pid(), "cmdline"), StandardCharsets.ISO_8859_1);
            return List.of(environment.split("\0")).contains("WORKSPACE_ID=" + id) && command.contains("workspace-runtime");
        } catch (IOException notOurs) {
            return false;
        }
    }

    private JsonNode call(String method, String path, String body, Duration patience)
            throws IOException, InterruptedException {
        var publisher = body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body);
        var answer = http.send(
                HttpRequest.newBuilder(URI.create(url + path))
                        .method(method, publisher)
                        .header("Content-Type", "application/json")
                        .header("X-Timeout", String.valueOf(patience.toSeconds()))
                        .timeout(patience.plusSeconds(10))
                        .build(),
                BodyHandlers.ofString());
        if (answer.statusCode() / 100 != 2 && body != null && path.equals("/org/import")) {
            throw new IllegalStateException(path + " answered " + answer.statusCode() + " " + answer.body());
        }
        return JSON.readTree(answer.body());
    }

    /** What it said when it failed, else nothing. */
    private static String shell(Path folder, Map<String, String> environment, String... command) throws Exception {
        var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var process = builder.start();
        String said = new String(process.getInputStream().readAllBytes());
        int code = process.waitFor();
        return code == 0 ? "" : "exit " + code + " " + said;
    }

    private Path folder(Path job) {
        return scratch.resolve(name(job));
    }

    private static String name(Path job) {
        return job.getFileName().toString();
    }
}
