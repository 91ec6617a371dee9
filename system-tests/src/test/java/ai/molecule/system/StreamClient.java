package ai.molecule.system;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A client of a stream in either version of A2A: it keeps every line as it comes, and ends with the connection, however that ends. */
final class StreamClient {

    private static final Pattern WORD = Pattern.compile("w(\\d+);");
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String IN_0_3 =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/stream\",\"params\":{\"message\":{\"messageId\":\"m\","
                    + "\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"go\"}]}}}";
    private static final String IN_1_0 =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendStreamingMessage\",\"params\":{\"message\":{\"messageId\":\"m\","
                    + "\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"go\"}]}}}";

    private final Platform platform;
    private final String workspaceId;
    private final String version;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    final CompletableFuture<Void> end;

    /** A first request. */
    StreamClient(Platform platform, String workspaceId, String version) {
        this(platform, workspaceId, version, null);
    }

    private StreamClient(Platform platform, String workspaceId, String version, String lastEventId) {
        this.platform = platform;
        this.workspaceId = workspaceId;
        this.version = version;
        var request = HttpRequest.newBuilder(URI.create(platform.url + "/workspaces/" + workspaceId + "/a2a"))
                .header("A2A-Version", version)
                .POST(BodyPublishers.ofString(version.equals("1.0") ? IN_1_0 : IN_0_3));
        if (lastEventId != null) {
            request.header("Last-Event-ID", lastEventId);
        }
        end = HTTP.sendAsync(request.build(), BodyHandlers.ofLines())
                .thenAcceptAsync(this::read, task -> Thread.ofVirtual().start(task))
                .exceptionally(broken -> null);
    }

    /** Comes back for what followed the last event it has. */
    StreamClient again() {
        return new StreamClient(platform, workspaceId, version, ids().getLast());
    }

    private void read(HttpResponse<Stream<String>> response) {
        response.body().forEach(lines::add);
    }

    List<String> ids() {
        return lines.stream()
                .filter(line -> line.startsWith("id: "))
                .map(line -> line.substring("id: ".length()))
                .toList();
    }

    /** The data of its events, in order. */
    List<String> data() {
        return lines.stream().filter(line -> line.startsWith("data: ")).toList();
    }

    /** The words it was told, in order. */
    List<Integer> words() {
        return data().stream()
                .flatMap(event -> WORD.matcher(event).results().map(found -> Integer.valueOf(found.group(1))))
                .toList();
    }

    String text() {
        return String.join("\n", lines);
    }
}
