package ai.molecule.provisioner.organisations;

import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.provisioner.ProvisionerConfig;
import ai.molecule.provisioner.ProvisionerVerticle;
import ai.molecule.provisioner.testing.StandInRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.WebClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole provisioner with a folder of organisations, templates and plugins, and a registry in memory. Agents are never started:
 * what they would run is missing.
 */
public final class ServedOrganisations implements AutoCloseable {

    /** What came back. */
    public record Answer(int status, JsonNode body) {

        public String error() {
            return body.path("error").asText();
        }

        /** The first of the problems; empty where there are none. */
        public String problem() {
            return body.path("problems").path(0).asText();
        }
    }

    public final Path folder;
    public final StandInRegistry registry;
    private final Vertx vertx = Vertx.vertx();
    private final ProvisionerVerticle verticle;
    private final WebClient client;

    public ServedOrganisations(Path folder) {
        this.folder = folder;
        this.registry = StandInRegistry.on(vertx);
        var env = TestConfig.env(
                "MOLECULE_ENV",
                "development",
                "MOLECULE_BIND",
                "127.0.0.1",
                "PROVISIONER_PORT",
                "0",
                "MOLECULE_BACKEND",
                "process",
                "MOLECULE_DATA",
                folder.resolve("data").toString(),
                "MOLECULE_RUNTIME_JAR",
                folder.resolve("nothing-runs.jar").toString(),
                "CONFIGS_DIR",
                folder.resolve("templates").toString(),
                "ORG_WORK_ROOT",
                "/srv/work");
        verticle = new ProvisionerVerticle(ProvisionerConfig.fromEnv(env));
        vertx.deployVerticle(verticle).await();
        client = WebClient.create(vertx);
    }

    /** Writes a file below the folder. */
    public ServedOrganisations write(String path, String text) {
        try {
            var file = folder.resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Text of a file among the configs of the n-th workspace that was created. */
    public String config(int n, String file) {
        var id = registry.imports.created().get(n).id();
        try {
            return Files.readString(folder.resolve("data/workspaces/" + id + "/configs/" + file));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public Answer importDir(String dir, String... members) {
        return post("/org/import", "{\"dir\":\"%s\",\"start\":false%s}".formatted(dir, rest(members)));
    }

    /** An organisation that is not started. */
    public Answer importYaml(String yaml, String... members) {
        return importFiles(Json.object().put("org.yaml", yaml), members);
    }

    public Answer importFiles(JsonNode files, String... members) {
        return post("/org/import", "{\"files\":%s,\"start\":false%s}".formatted(Json.text(files), rest(members)));
    }

    public Answer post(String path, String body) {
        return send(HttpMethod.POST, path, body, null);
    }

    /** What an import of it would make. */
    public Answer preview(String yaml, String... members) {
        return post(
                "/org/import?dry_run=1",
                "{\"files\":%s%s}".formatted(Json.text(Json.object().put("org.yaml", yaml)), rest(members)));
    }

    /** @param key the header Idempotency-Key */
    public Answer importOnce(String key, String body) {
        return send(HttpMethod.POST, "/org/import", body, key);
    }

    /** An organisation that is not started, of the tenant that the header names. */
    public Answer importFor(String tenant, String yaml) {
        var files = Json.object().put("org.yaml", yaml);
        return send(
                HttpMethod.POST,
                "/org/import",
                "{\"files\":%s,\"start\":false}".formatted(Json.text(files)),
                null,
                tenant);
    }

    public Answer get(String path) {
        return send(HttpMethod.GET, path, null, null);
    }

    private Answer send(HttpMethod method, String path, @Nullable String body, @Nullable String key) {
        return send(method, path, body, key, null);
    }

    private Answer send(
            HttpMethod method, String path, @Nullable String body, @Nullable String key, @Nullable String tenant) {
        var request = client.request(method, verticle.actualPort(), "127.0.0.1", path);
        if (tenant != null) {
            request.putHeader("X-Molecule-Org-Id", tenant);
        }
        if (key != null) {
            request.putHeader("Idempotency-Key", key);
        }
        var response = (body == null ? request.send() : request.sendBuffer(Buffer.buffer(body))).await();
        try {
            return new Answer(
                    response.statusCode(),
                    Json.parse(String.valueOf(response.bodyAsString()).getBytes(StandardCharsets.UTF_8)));
        } catch (IOException malformed) {
            throw new UncheckedIOException(malformed);
        }
    }

    private static String rest(String... members) {
        return members.length == 0 ? "" : "," + String.join(",", List.of(members));
    }

    @Override
    public void close() {
        vertx.close().await();
    }
}
