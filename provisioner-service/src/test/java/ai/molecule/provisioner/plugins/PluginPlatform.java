package ai.molecule.provisioner.plugins;

import ai.molecule.common.config.Env;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** The plugin routes on the real router, with real processes behind and a server for repositories beside. */
final class PluginPlatform implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    final Vertx vertx = Vertx.vertx();
    final Path data;
    final Path registryFolder;
    final Provisioning provisioning;
    final Codeload codeload = new Codeload(vertx);
    private boolean commitsOnly;
    private AllowedSources allowed = AllowedSources.ALL;
    private WebClient client;

    PluginPlatform(Path data) {
        this.data = data;
        this.registryFolder = data.resolve("registry");
        this.provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start();
        this.client = serve(true, Duration.ofSeconds(60));
    }

    /** Serves it as in production, where plugins come from the registry and these. */
    void serveProduction(String... sources) {
        commitsOnly = true;
        allowed = PluginSettings.fromEnv(new Env(
                        Map.of("MOLECULE_ENV", "production", "MOLECULE_PLUGIN_SOURCES", String.join(",", sources))))
                .allowed();
        serveWith(true, Duration.ofSeconds(60));
    }

    /** Serves it anew. */
    void serveWith(boolean loopbackAllowed, Duration fetchTimeout) {
        client = serve(loopbackAllowed, fetchTimeout);
    }

    private WebClient serve(boolean loopbackAllowed, Duration fetchTimeout) {
        var backend = provisioning.backend();
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(loopbackAllowed, false), Duration.ofSeconds(5));
        var settings = new PluginSettings(
                registryFolder,
                false,
                data.resolve("plugin-staging"),
                65_536,
                fetchTimeout,
                1024 * 1024,
                false,
                commitsOnly,
                allowed);
        return provisioning.serve(
                backend,
                (service, guards) -> new PluginAssembly(vertx, service.bus(), guards, dialer, codeload.url(), settings)
                        .open(
                                new RunningAgents(provisioning.instances, backend),
                                backend.files(),
                                provisioning.quota(backend))
                        .await());
    }

    /** A file of a plugin in the registry, beside those it has. */
    PluginPlatform plugin(String name, String file, String content) {
        write(registryFolder.resolve(name).resolve(file), content);
        return this;
    }

    /** A workspace whose agent runs. */
    UUID running() {
        return provisioning.running();
    }

    UUID neverStarted() {
        return provisioning.registry.create("claude-code");
    }

    Path configs(UUID id) {
        return data.resolve("workspaces/" + id + "/configs");
    }

    HttpRequest<Buffer> request(HttpMethod method, String path) {
        return client.request(method, path);
    }

    String get(String path) {
        return text(client.get(path).send().await());
    }

    JsonNode json(String path) {
        try {
            return JSON.readTree(client.get(path).send().await().bodyAsString());
        } catch (IOException malformed) {
            throw new UncheckedIOException(malformed);
        }
    }

    String install(UUID id, String body) {
        return text(client.post("/workspaces/" + id + "/plugins")
                .sendBuffer(Buffer.buffer(body))
                .await());
    }

    String installFrom(UUID id, String source) {
        return install(id, "{\"source\":\"" + source + "\"}");
    }

    String uninstall(UUID id, String name) {
        return text(
                client.delete("/workspaces/" + id + "/plugins/" + name).send().await());
    }

    List<String> staged() {
        try (Stream<Path> left = Files.list(data.resolve("plugin-staging"))) {
            return left.map(Path::toString).toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static void write(Path file, String content) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, content);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static String text(HttpResponse<Buffer> response) {
        return response.statusCode() + " " + response.bodyAsString();
    }

    @Override
    public void close() {
        provisioning.close();
        vertx.close().await();
    }
}
