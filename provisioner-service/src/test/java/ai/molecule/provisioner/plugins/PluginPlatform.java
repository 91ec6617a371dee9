package ai.molecule.provisioner.plugins;

import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.provisioner.ProvisionerRouter;
import ai.molecule.provisioner.lifecycle.LifecycleRoutes;
import ai.molecule.provisioner.lifecycle.LifecycleService;
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
import io.vertx.ext.web.client.WebClientOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
    private WebClient client;

    PluginPlatform(Path data) {
        this.data = data;
        this.registryFolder = data.resolve("registry");
        this.provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start();
        this.client = serve(true, Duration.ofSeconds(60));
    }

    /** Serves it anew. */
    void serveWith(boolean loopbackAllowed, Duration fetchTimeout) {
        client = serve(loopbackAllowed, fetchTimeout);
    }

    private WebClient serve(boolean loopbackAllowed, Duration fetchTimeout) {
        var service = ServiceContext.open(vertx, TestConfig.platform("MOLECULE_ENV", "development"), "provisioner")
                .await();
        var backend = provisioning.backend();
        var guards = new Guards(service.config(), new BusCredentials(service.bus()));
        var dialer = new SafeDialer(vertx, AddressRules.forDialling(loopbackAllowed, false), Duration.ofSeconds(5));
        var settings = new PluginSettings(
                registryFolder, false, data.resolve("plugin-staging"), 65_536, fetchTimeout, 1024 * 1024, false);
        var plugins = new PluginAssembly(vertx, service.bus(), guards, dialer, codeload.url(), settings)
                .open(new RunningAgents(provisioning.instances, backend), backend.files())
                .await();
        var lifecycle = new LifecycleService(service.bus(), backend, provisioning.verticle()::reconcile);
        RoutePage page = ProvisionerRouter.page(service, guards, new LifecycleRoutes(lifecycle), plugins);
        int port = service.listen(0, page.router()).await().actualPort();
        return WebClient.create(
                vertx, new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(port));
    }

    /** A file of a plugin in the registry, beside those it has. */
    PluginPlatform plugin(String name, String file, String content) {
        write(registryFolder.resolve(name).resolve(file), content);
        return this;
    }

    /** A workspace whose agent runs. */
    UUID running() {
        var id = provisioning.registry.create("echo");
        provisioning.reconcile(id);
        provisioning.registry.online(id);
        return id;
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
