package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.containers.Tar;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** An engine as a launcher needs it: before the provisioner runs, and after it has stopped. */
public final class DockerHost {

    private static final int LOG_LINES = 5_000;

    private final Vertx vertx;
    private final DockerSettings settings;
    private final Engine engine;

    public DockerHost(Vertx vertx, DockerSettings settings) {
        this.vertx = vertx;
        this.settings = settings;
        this.engine = new Engine(vertx, settings.socket());
    }

    /** Fails with a sentence when it does not answer. */
    public Future<Void> ping() {
        return engine.ping();
    }

    /** See {@link AgentNetwork#gateway}. */
    public Future<Optional<String>> gateway() {
        return new AgentNetwork(engine, settings).gateway();
    }

    /**
     * Makes an image unless there is one of that name.
     *
     * @param dockerfile as of workspace-runtime
     * @param jar the runtime with all its libraries
     * @param base of the image, by its argument {@code JRE_IMAGE}; null for the Dockerfile's own
     */
    public Future<Void> requireImage(String name, Path dockerfile, Path jar, Optional<String> base) {
        return isThere(name).compose(there -> there ? Future.succeededFuture() : build(name, dockerfile, jar, base));
    }

    /** Stops every container of this platform; completes when all are gone. Their volumes stay. */
    public Future<Void> stopAgents() {
        var backend = new DockerBackend(vertx, settings);
        return backend.findAll()
                .compose((Map<UUID, AgentProcess> found) -> Future.join(
                                found.values().stream().map(backend::stop).toList())
                        .mapEmpty());
    }

    /** The last 5,000 lines of what an agent's container printed; empty when this platform has none. */
    public Future<Optional<String>> logOf(UUID workspaceId) {
        String container = "/containers/" + Names.container(workspaceId);
        return engine.get(container + "/json")
                .compose(found -> found.require(404))
                .compose(found -> {
                    if (found.isMissing()
                            || !new Names(settings.platform())
                                    .isOurs(
                                            found.object()
                                                    .getJsonObject("Config")
                                                    .getJsonObject("Labels"),
                                            workspaceId)) {
                        return Future.succeededFuture(Optional.empty());
                    }
                    return engine.get(container + "/logs?stdout=true&stderr=true&tail=" + LOG_LINES)
                            .compose(EngineAnswer::require)
                            .map(log ->
                                    Optional.of(LogFrames.contentOf(log.body()).toString()));
                });
    }

    private Future<Boolean> isThere(String name) {
        return engine.get("/images/" + Engine.encode(name) + "/json")
                .compose(found -> found.require(404))
                .map(found -> !found.isMissing());
    }

    /** The engine answers 200 whatever becomes of it, and tells in its log. */
    private Future<Void> build(String name, Path dockerfile, Path jar, Optional<String> base) {
        String arguments = Engine.encode(base.map(image -> new JsonObject().put("JRE_IMAGE", image))
                .orElseGet(JsonObject::new)
                .encode());
        String path = "/build?t=%s&buildargs=%s&forcerm=true".formatted(Engine.encode(name), arguments);
        return vertx.executeBlocking(() -> context(dockerfile, jar))
                .compose(context -> engine.build(path, context))
                .compose(EngineAnswer::require)
                .compose(log -> isThere(name)
                        .compose(there -> there
                                ? Future.succeededFuture()
                                : Future.failedFuture(new IOException("the image %s could not be built: %s"
                                        .formatted(name, EngineAnswer.oneLine(lastOf(log.body())))))));
    }

    private static Buffer context(Path dockerfile, Path jar) throws IOException {
        return new Tar(0)
                .file("Dockerfile", Files.readAllBytes(dockerfile), Tar.FILE_MODE)
                .folder("lib")
                .file("app/workspace-runtime.jar", Files.readAllBytes(jar), Tar.FILE_MODE)
                .finish();
    }

    private static String lastOf(Buffer log) {
        return log.toString().lines().reduce("", (before, line) -> line);
    }
}
