package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.containers.ImageNames;
import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Which image a runtime's agents run, and that it is there. */
final class Images {

    /** How long a pull may say nothing. It tells of every layer several times a second while anything comes. */
    private static final Duration SILENCE_MAX = Duration.ofMinutes(3);

    private static final Duration PULL_MAX = Duration.ofHours(1);

    private final Engine engine;
    private final ImageNames names;
    private final @Nullable String platform;
    private final RegistryLogins logins;

    Images(Engine engine, DockerSettings settings) {
        this.engine = engine;
        this.names = settings.images();
        this.platform = settings.imagePlatform();
        this.logins = settings.logins();
    }

    String of(String runtime) {
        return names.of(runtime);
    }

    /** One of ours with a shell in it, for work on files. */
    String tools() {
        return of("echo");
    }

    /** Pulls it when it is absent and says where it is. Fails with {@link StartRefused} when there is none to be had. */
    Future<Void> require(String image) {
        return engine.get("/images/" + Engine.encode(image) + "/json")
                .compose(found ->
                        found.isMissing() ? pull(image) : found.require().mapEmpty());
    }

    /** The engine answers 200 at once and tells in the stream how it went, so it is looked at again. */
    private Future<Void> pull(String image) {
        if (!names.mayBePulled(image)) {
            return Future.failedFuture(new StartRefused(
                    "workspace start failed: there is no image %s here, and none is pulled that names no registry"
                            .formatted(image)));
        }
        String path = "/images/create?fromImage=" + Engine.encode(withTag(image))
                + (platform == null ? "" : "&platform=" + Engine.encode(platform));
        return engine.progress(path, logins.headerFor(image).orElse(null), SILENCE_MAX, PULL_MAX)
                .compose(pulled -> engine.get("/images/" + Engine.encode(image) + "/json")
                        .compose(found -> found.isDone()
                                ? Future.<Void>succeededFuture()
                                : Future.failedFuture(absent(image, pulled))));
    }

    /** Adds a tag where none is named: the engine would pull every tag there is. */
    private static String withTag(String image) {
        boolean named = image.contains("@")
                || image.substring(image.lastIndexOf('/') + 1).contains(":");
        return named ? image : image + ":latest";
    }

    private static StartRefused absent(String image, EngineAnswer pulled) {
        String last = pulled.body().toString().lines().reduce("", (before, line) -> line);
        return new StartRefused(
                "workspace start failed: there is no image %s, and it cannot be pulled".formatted(image),
                "there is no image %s, and it cannot be pulled: %s"
                        .formatted(image, pulled.isDone() ? EngineAnswer.oneLine(last) : pulled.message()));
    }
}
