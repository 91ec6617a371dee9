package ai.molecule.provisioner.files;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The HTTP face of {@link FileService} (registry contract, 7.3). */
public final class FileRoutes {

    /** A file of 5 MiB, and the escapes that JSON needs for most of them. */
    public static final long BODY_MAX_BYTES = 2L * WorkspaceFiles.FILE_MAX_BYTES;

    private static final int FILES_MAX = 200;
    private static final String BAD_BODY = "invalid request body";

    private final FileService files;
    private final SettingsFiles settings;
    private final SharedContext shared;

    public FileRoutes(FileService files, SettingsFiles settings) {
        this.files = files;
        this.settings = settings;
        this.shared = new SharedContext(files);
    }

    public void list(RoutingContext ctx) {
        var folder = AgentPath.of(query(ctx, "root", "/configs"), query(ctx, "path", ""));
        int depth = depthOf(query(ctx, "depth", "1"));
        Answers.json(
                ctx,
                files.list(PathIds.workspace(ctx), folder, depth)
                        .map(entries -> Answers.array(
                                entries,
                                entry -> Json.object()
                                        .put("path", entry.path().toString())
                                        .put("size", entry.size())
                                        .put("dir", entry.directory()))));
    }

    public void read(RoutingContext ctx) {
        var file = placeOf(ctx);
        Answers.json(
                ctx,
                files.read(PathIds.workspace(ctx), file)
                        .map(content -> Json.object()
                                .put("path", file.path().toString())
                                .put("content", content.toString())
                                .put("size", content.length())));
    }

    public void write(RoutingContext ctx) {
        var file = placeOf(ctx);
        var body = JsonBody.of(ctx, BAD_BODY);
        if (!body.has("content")) {
            throw body.bad();
        }
        var content = Buffer.buffer(body.text("content", ""));
        Answers.json(
                ctx,
                changing(
                                ctx,
                                file,
                                () -> files.write(PathIds.workspace(ctx), file.root(), Map.of(file.path(), content)))
                        .map(written -> Json.object()
                                .put("status", "saved")
                                .put("path", file.path().toString())));
    }

    public void delete(RoutingContext ctx) {
        var file = placeOf(ctx);
        Answers.json(
                ctx,
                changing(ctx, file, () -> files.delete(PathIds.workspace(ctx), file))
                        .map(deleted -> Json.object()
                                .put("status", "deleted")
                                .put("path", file.path().toString())));
    }

    /** Writes the given files over what is there; files that are not named stay. */
    public void replace(RoutingContext ctx) {
        var root = AgentPath.of(query(ctx, "root", "/configs"), "").root();
        var contents = contentsOf(JsonBody.of(ctx, BAD_BODY));
        Answers.json(
                ctx,
                settings.changing(
                                PathIds.workspace(ctx),
                                root,
                                contents.keySet(),
                                Caller.of(ctx).credential(),
                                () -> files.write(PathIds.workspace(ctx), root, contents))
                        .map(written -> Json.object()
                                .put("status", "replaced")
                                .put("workspace", written.name())
                                .put("files", contents.size())
                                .put("source", written.running() ? "container" : "volume")));
    }

    public void sharedContext(RoutingContext ctx) {
        Answers.json(ctx, shared.of(PathIds.workspace(ctx)).map(documents -> {
            var array = Json.MAPPER.createArrayNode();
            documents.forEach((path, content) ->
                    array.addObject().put("path", path.toString()).put("content", content.toString()));
            return array;
        }));
    }

    private <T> Future<T> changing(RoutingContext ctx, AgentPath file, Supplier<Future<T>> change) {
        return settings.changing(
                PathIds.workspace(ctx),
                file.root(),
                List.of(file.path()),
                Caller.of(ctx).credential(),
                change);
    }

    private static AgentPath placeOf(RoutingContext ctx) {
        return AgentPath.of(query(ctx, "root", "/configs"), restOf(ctx.normalizedPath()));
    }

    /** What follows {@code /workspaces/:id/files/}; percent signs are escapes, a plus is a plus. */
    private static String restOf(String path) {
        String[] segments = path.split("/", 5);
        return segments.length < 5 ? "" : QueryStringDecoder.decodeComponent(segments[4].replace("+", "%2B"));
    }

    private static Map<FilePath, Buffer> contentsOf(JsonBody body) {
        var files = body.object("files");
        if (files == null || files.isEmpty()) {
            throw body.bad();
        }
        if (files.size() > FILES_MAX) {
            throw ApiError.invalid("too many files (%d), max %d".formatted(files.size(), FILES_MAX));
        }
        Map<FilePath, Buffer> contents = new LinkedHashMap<>();
        for (var file : files.properties()) {
            if (!file.getValue().isTextual()) {
                throw body.bad();
            }
            contents.put(
                    FilePath.of(file.getKey()), Buffer.buffer(file.getValue().textValue()));
        }
        return contents;
    }

    private static int depthOf(String text) {
        if (!text.matches("[1-5]")) {
            throw ApiError.invalid("depth must be 1-5");
        }
        return Integer.parseInt(text);
    }

    private static String query(RoutingContext ctx, String name, String fallback) {
        String value = ctx.request().getParam(name);
        return value == null || value.isEmpty() ? fallback : value;
    }
}
