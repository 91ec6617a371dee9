package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.containers.Tar;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Containers that are made, never started, and removed again: they lend their mounts, so that files of a workspace can be read
 * and written whether its agent runs or not. Their image is empty, so a link that leads out of a volume leads nowhere.
 */
record MountsLender(Engine engine, Names names, Containers containers, Folders folders) {

    /**
     * @param id of the container
     * @param ofAPerson whether a folder of the engine's machine is among what it lends: its owner stays who it is
     */
    record Loan(String id, boolean ofAPerson) {}

    /** The folder whose children are the workspace's roots. */
    static final String ROOTS = "/roots";

    private static final String EMPTY_IMAGE = "molecule/empty:1";

    /** Longer than any use of one, and than a stream may idle. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(30);

    private static final int FORGOTTEN_MAX = 100;

    private static final Logger LOGGER = LoggerFactory.getLogger(MountsLender.class);

    static String nameOf(Root root) {
        return root.name().toLowerCase(Locale.ROOT);
    }

    /** Makes what is missing, lends it, and takes it back however that ends. */
    <T> Future<T> lend(UUID workspaceId, Collection<Root> roots, Function<Loan, Future<T>> use) {
        return borrow(workspaceId, roots).compose(loan -> use.apply(loan).eventually(() -> giveBack(loan)));
    }

    /** As {@link #lend}, with what Claude Code keeps of its conversations. */
    <T> Future<T> lendWithSessions(UUID workspaceId, Collection<Root> roots, Function<Loan, Future<T>> use) {
        return folders.ofTools(workspaceId, roots)
                .compose(lent -> create(workspaceId, lent.copy().add(Sessions.ofTools(workspaceId))))
                .compose(loan -> use.apply(loan).eventually(() -> giveBack(loan)));
    }

    /** As {@link #lend}, for a use that ends later: whoever borrows gives back. */
    Future<Loan> borrow(UUID workspaceId, Collection<Root> roots) {
        return folders.ofTools(workspaceId, roots).compose(lent -> create(workspaceId, lent));
    }

    private Future<Loan> create(UUID workspaceId, JsonArray lent) {
        var container = new JsonObject()
                .put("Image", EMPTY_IMAGE)
                .put("Cmd", new JsonArray().add("never-started"))
                .put("Labels", names.labels(workspaceId).put(Names.ROLE, "files"))
                .put("HostConfig", new JsonObject().put("NetworkMode", "none").put("Mounts", lent));
        return engine.post("/containers/create", container)
                .compose(made -> made.isMissing()
                        ? makeImage().compose(image -> engine.post("/containers/create", container))
                        : Future.succeededFuture(made))
                .compose(EngineAnswer::require)
                .map(made -> new Loan(made.object().getString("Id"), Folders.isLent(lent)));
    }

    private Future<EngineAnswer> makeImage() {
        var parts = List.of(EMPTY_IMAGE.split(":", 2));
        return engine.archive(
                        HttpMethod.POST,
                        "/images/create?fromSrc=-&repo=" + parts.getFirst() + "&tag=" + parts.getLast(),
                        Tar.empty(),
                        Engine.JSON_MAX_BYTES)
                .compose(EngineAnswer::require);
    }

    /** What was lent to a provisioner that died before it gave it back. Does not wait. */
    void giveBackForgotten() {
        long before = Instant.now().minus(FORGOTTEN).getEpochSecond();
        containers
                .list(names.helpers(), true)
                .onSuccess(found -> found.stream()
                        .filter(container -> container.getLong("Created") < before)
                        .limit(FORGOTTEN_MAX)
                        .forEach(container -> containers.remove(Containers.idOf(container))))
                .onFailure(away -> LOGGER.atDebug().setCause(away).log("forgotten containers are looked for again"));
    }

    Future<EngineAnswer> giveBack(Loan loan) {
        return engine.delete("/containers/" + loan.id() + "?force=true").compose(gone -> gone.require(404, 409));
    }
}
