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

/** A client of {@code message/stream}: it keeps every line as it comes, and ends with the connection, however that ends. */
final class StreamClient {

    private static final Pattern WORD = Pattern.compile("w(\\d+);");
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String BODY =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/stream\",\"params\":{\"message\":{\"messageId\":\"m\","
                    + "\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"go\"}]}}}";

    private final List<String> lines = new CopyOnWriteArrayList<>();
    final CompletableFuture<Void> end;

    /** @param lastEventId null for a first request */
    StreamClient(Platform platform, String workspaceId, String lastEventId) {
        var request = HttpRequest.newBuilder(URI.create(platform.url + "/workspaces/" + workspaceId + "/a2a"))
                .POST(BodyPublishers.ofString(BODY));
        if (lastEventId != null) {
            request.header("Last-Event-ID", lastEventId);
        }
        end = HTTP.sendAsync(request.build(), BodyHandlers.ofLines())
                .thenAcceptAsync(this::read, task -> Thread.ofVirtual().start(task))
                .exceptionally(broken -> null);
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
