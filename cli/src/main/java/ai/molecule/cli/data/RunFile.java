package ai.molecule.cli.data;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * {@code run.json}: where the running platform is. Written when it is ready and after every restart of a service, removed when
 * it stops.
 *
 * @param url the front door
 * @param pid the launcher
 * @param split whether the services are processes of their own
 * @param services by name: where each listens and which process it is
 * @param servers by name: the embedded servers, if any
 */
public record RunFile(
        String url,
        long pid,
        boolean split,
        SequencedMap<String, Endpoint> services,
        SequencedMap<String, Endpoint> servers) {

    /** A listening process on loopback. */
    public record Endpoint(int port, long pid) {}

    public void write(Path file) throws IOException {
        var json = new JsonObject()
                .put("url", url)
                .put("pid", pid)
                .put("split", split)
                .put("services", toJson(services))
                .put("servers", toJson(servers));
        PrivateFiles.write(file, json.encodePrettily() + "\n");
    }

    /** The platform described by the file; empty when there is no file or it cannot be understood. */
    public static Optional<RunFile> read(Path file) {
        try {
            var json = new JsonObject(Files.readString(file));
            return Optional.of(new RunFile(
                    json.getString("url"),
                    json.getLong("pid"),
                    json.getBoolean("split"),
                    endpoints(json.getJsonObject("services")),
                    endpoints(json.getJsonObject("servers"))));
        } catch (IOException | DecodeException | ClassCastException | NullPointerException e) {
            return Optional.empty();
        }
    }

    private static JsonObject toJson(Map<String, Endpoint> endpoints) {
        var json = new JsonObject();
        endpoints.forEach((name, at) ->
                json.put(name, new JsonObject().put("port", at.port()).put("pid", at.pid())));
        return json;
    }

    private static SequencedMap<String, Endpoint> endpoints(JsonObject json) {
        var endpoints = new TreeMap<String, Endpoint>();
        json.fieldNames().forEach(name -> {
            var at = json.getJsonObject(name);
            endpoints.put(name, new Endpoint(at.getInteger("port"), at.getLong("pid")));
        });
        return endpoints;
    }
}
