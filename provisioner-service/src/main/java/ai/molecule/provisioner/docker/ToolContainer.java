package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Short-lived containers for what the engine's archives cannot do: listing without reading everything, and deleting. They see one
 * volume, no network, and an image of ours that they cannot write to. What people name is an argument, never part of a script.
 */
record ToolContainer(Engine engine, Names names, Folders folders, Images images) {

    /** What a script left behind. */
    record Outcome(int exit, Buffer output) {}

    private static final Duration RUN_MAX = Duration.ofSeconds(30);
    private static final int PIDS = 16;
    private static final long MEMORY_BYTES = 64L << 20;

    /** Beyond it the engine drops the beginning. */
    private static final String OUTPUT_MAX = "12m";

    /** Runs the script with the root as its working folder and the arguments as {@code $1}, {@code $2}, … */
    Future<Outcome> run(UUID workspaceId, Root root, String script, List<String> arguments) {
        return images.require(images.tools())
                .compose(there -> folders.ofTools(workspaceId, List.of(root)))
                .compose(mounts -> run(
                        workspaceId, MountsLender.ROOTS + "/" + MountsLender.nameOf(root), mounts, script, arguments));
    }

    /** The same above all of the workspace's own volumes, without a folder that is lent to it. */
    Future<Outcome> runInVolumes(UUID workspaceId, String script, List<String> arguments) {
        return images.require(images.tools())
                .compose(there -> folders.ofTools(workspaceId, List.of(Root.values())))
                .map(mounts -> new JsonArray(mounts.stream()
                        .filter(mount -> ((JsonObject) mount).getString("Type").equals("volume"))
                        .toList()))
                .compose(mounts -> run(workspaceId, MountsLender.ROOTS, mounts, script, arguments));
    }

    /** Empties what Claude Code keeps of its conversations; its volume must be there. */
    Future<Outcome> forgetSessions(UUID workspaceId) {
        return images.require(images.tools())
                .compose(there -> run(
                        workspaceId,
                        Sessions.folderOfTools(),
                        Sessions.listOfTools(workspaceId),
                        "find . -mindepth 1 -delete",
                        List.of()));
    }

    private Future<Outcome> run(
            UUID workspaceId, String folder, JsonArray mounts, String script, List<String> arguments) {
        return engine.post("/containers/create", container(workspaceId, folder, mounts, script, arguments))
                .compose(EngineAnswer::require)
                .compose(created -> {
                    String path = "/containers/" + created.object().getString("Id");
                    return outcome(path)
                            .eventually(
                                    () -> engine.delete(path + "?force=true").compose(gone -> gone.require(404, 409)));
                });
    }

    private Future<Outcome> outcome(String path) {
        // Waiting begins before the start, or a short run would be over by then.
        var ended = engine.call(HttpMethod.POST, path + "/wait?condition=next-exit", null, RUN_MAX);
        return engine.call(HttpMethod.POST, path + "/start", null, RUN_MAX)
                .compose(EngineAnswer::require)
                .compose(started -> ended)
                .compose(EngineAnswer::require)
                .compose(exit -> engine.get(path + "/logs?stdout=true")
                        .compose(EngineAnswer::require)
                        .map(log ->
                                new Outcome(exit.object().getInteger("StatusCode"), LogFrames.contentOf(log.body()))));
    }

    private JsonObject container(
            UUID workspaceId, String folder, JsonArray mounts, String script, List<String> arguments) {
        var log = new JsonObject().put("max-size", OUTPUT_MAX).put("max-file", "1");
        var host = new JsonObject()
                .put("NetworkMode", "none")
                .put("ReadonlyRootfs", true)
                .put("CapDrop", new JsonArray().add("ALL"))
                .put("CapAdd", new JsonArray().add("DAC_OVERRIDE").add("FOWNER")) // an agent may have closed a folder
                .put("SecurityOpt", new JsonArray().add("no-new-privileges"))
                .put("Memory", MEMORY_BYTES)
                .put("PidsLimit", PIDS)
                .put("LogConfig", new JsonObject().put("Type", "json-file").put("Config", log))
                .put("Mounts", mounts);
        return new JsonObject()
                .put("Image", images.tools())
                .put("User", "0:0")
                .put("WorkingDir", folder)
                .put("Entrypoint", new JsonArray(List.of("/bin/sh", "-c", script, "sh")))
                .put("Cmd", new JsonArray(arguments))
                .put("Labels", names.labels(workspaceId).put(Names.ROLE, "files"))
                .put("HostConfig", host);
    }
}
