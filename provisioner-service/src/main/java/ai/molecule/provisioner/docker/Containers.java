package ai.molecule.provisioner.docker;

import ai.molecule.common.auth.Ids;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.LogTail;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** The engine's containers by id, name or label, and what is read of one. */
record Containers(Engine engine) {

    /** How long a container that is being removed may take to be gone. */
    private static final Duration GONE_MAX = Duration.ofSeconds(10);

    private static final Duration LOOK = Duration.ofMillis(100);

    Future<List<JsonObject>> list(JsonObject filters, boolean stoppedToo) {
        return engine.get("/containers/json?all=%b&filters=%s".formatted(stoppedToo, Engine.encode(filters.encode())))
                .compose(EngineAnswer::require)
                .map(answer ->
                        answer.array().stream().map(JsonObject.class::cast).toList());
    }

    Future<Optional<JsonObject>> inspect(String idOrName) {
        return engine.get("/containers/" + Engine.encode(idOrName) + "/json")
                .compose(found -> found.require(404))
                .map(found -> found.isMissing() ? Optional.empty() : Optional.of(found.object()));
    }

    Future<AgentProcess> run(String id) {
        return engine.call(HttpMethod.POST, "/containers/" + id + "/start", null, Engine.QUICK.multipliedBy(3))
                .compose(started -> started.require(304))
                .compose(started -> inspect(id))
                .compose(found -> found.isPresent()
                        ? Future.succeededFuture(processOf(found.get()))
                        : Future.failedFuture(new IOException("container " + id + " is gone")));
    }

    Future<Void> remove(String id) {
        return engine.delete("/containers/" + Engine.encode(id) + "?force=true")
                .compose(removed -> removed.require(404, 409))
                .compose(removed -> removed.status() == 409 ? gone(id, GONE_MAX) : Future.succeededFuture());
    }

    /** From every network that a list says it is in. */
    Future<Void> disconnect(JsonObject container) {
        var force = new JsonObject().put("Container", idOf(container)).put("Force", true);
        var networks = container
                .getJsonObject("NetworkSettings", new JsonObject())
                .getJsonObject("Networks", new JsonObject());
        return Future.all(networks.fieldNames().stream()
                        .map(network -> engine.post("/networks/%s/disconnect".formatted(Engine.encode(network)), force)
                                .compose(gone -> gone.require(404)))
                        .toList())
                .mapEmpty();
    }

    /** Somebody else removes it just now. */
    private Future<Void> gone(String id, Duration left) {
        return inspect(id).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture();
            }
            return left.isNegative()
                    ? Future.failedFuture(new IOException("container %s is not removed".formatted(id)))
                    : engine.pause(LOOK).compose(tick -> gone(id, left.minus(LOOK)));
        });
    }

    Future<String> tailOf(String container) {
        String path = "/containers/%s/logs?stdout=true&stderr=true&tail=%d".formatted(container, LogTail.LINES_MAX);
        return engine.get(path)
                .compose(log -> log.require(404))
                .map(log -> log.isMissing()
                        ? ""
                        : LogTail.of(LogFrames.contentOf(log.body()).getBytes(), false));
    }

    static Optional<AgentProcess> running(JsonObject container) {
        return container.getJsonObject("State").getBoolean("Running", false)
                ? Optional.of(processOf(container))
                : Optional.empty();
    }

    /** To the microsecond, as the database keeps it. */
    static AgentProcess processOf(JsonObject container) {
        var started = Instant.parse(container.getJsonObject("State").getString("StartedAt"));
        return new AgentProcess(container.getString("Id"), started.truncatedTo(ChronoUnit.MICROS));
    }

    static String idOf(JsonObject container) {
        return container.getString("Id");
    }

    static Optional<UUID> workspaceOf(JsonObject container) {
        return Stream.ofNullable(
                        container.getJsonObject("Labels", new JsonObject()).getString(Names.WORKSPACE))
                .flatMap(id -> Ids.find(id).stream())
                .findFirst();
    }
}
