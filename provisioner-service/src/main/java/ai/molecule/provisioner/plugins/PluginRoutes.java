package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** The registry's plugins, and those of a workspace. Failures are listed in docs/wire/provisioner.md. */
public final class PluginRoutes {

    /** Of all files of a plugin, see {@link Integrity#digestOf}. */
    private static final String DIGEST = "X-Plugin-Digest";

    private final PluginService plugins;
    private final long bodyMaxBytes;

    public PluginRoutes(PluginService plugins, PluginSettings settings) {
        this.plugins = plugins;
        this.bodyMaxBytes = settings.bodyMaxBytes();
    }

    /** The most that the body of an installation may hold. */
    public long bodyMaxBytes() {
        return bodyMaxBytes;
    }

    public void list(RoutingContext ctx) {
        Answers.json(ctx, plugins.list(query(ctx, "runtime")).map(found -> Answers.array(found, PluginInfo::toJson)));
    }

    public void sources(RoutingContext ctx) {
        var schemes = Json.object().set("schemes", Json.MAPPER.valueToTree(plugins.schemes()));
        Answers.json(ctx, Future.succeededFuture(schemes));
    }

    public void available(RoutingContext ctx) {
        Answers.json(
                ctx, plugins.available(PathIds.workspace(ctx)).map(found -> Answers.array(found, PluginInfo::toJson)));
    }

    /** Each with {@code supported_on_runtime}: whether it is for the runtime the workspace has. */
    public void installed(RoutingContext ctx) {
        Answers.json(
                ctx,
                plugins.installed(PathIds.workspace(ctx))
                        .map(found -> Answers.array(
                                found.plugins(),
                                plugin -> plugin.toJson()
                                        .put("supported_on_runtime", plugin.supports(found.runtime())))));
    }

    /** What would become of the installed plugins under another runtime. */
    public void compatibility(RoutingContext ctx) {
        String runtime = query(ctx, "runtime");
        if (runtime == null) {
            throw ApiError.invalid("runtime query parameter is required");
        }
        Answers.json(ctx, plugins.installed(PathIds.workspace(ctx)).map(found -> {
            var fits = found.plugins().stream()
                    .filter(one -> one.supports(runtime))
                    .toList();
            var rest = found.plugins().stream()
                    .filter(one -> !one.supports(runtime))
                    .toList();
            var json = Json.object().put("target_runtime", runtime);
            json.set("compatible", Answers.array(fits, PluginInfo::toJson));
            json.set("incompatible", Answers.array(rest, PluginInfo::toJson));
            return json.put("all_compatible", rest.isEmpty());
        }));
    }

    public void install(RoutingContext ctx) {
        var order = PluginOrder.of(JsonBody.of(ctx, "invalid request body"));
        Answers.json(
                ctx,
                plugins.install(PathIds.workspace(ctx), order)
                        .onSuccess(done -> ctx.response().putHeader(DIGEST, done.digest()))
                        .map(done -> Json.object()
                                .put("status", "installed")
                                .put("plugin", done.plugin().name().value())
                                .put("source", done.plugin().source())));
    }

    public void uninstall(RoutingContext ctx) {
        var name = PluginName.of(ctx.pathParam("name"));
        Answers.json(
                ctx,
                plugins.uninstall(PathIds.workspace(ctx), name)
                        .map(gone -> Json.object().put("status", "uninstalled").put("plugin", name.value())));
    }

    /** 200 with a gzip-compressed tar, the plugin's files at its root. */
    public void download(RoutingContext ctx) {
        var name = PluginName.of(ctx.pathParam("name"));
        plugins.download(
                        PathIds.workspace(ctx),
                        Bearer.of(ctx.request()),
                        name,
                        query(ctx, "source"),
                        archive -> send(ctx, archive))
                .onFailure(ctx::fail);
    }

    private static Future<Void> send(RoutingContext ctx, PluginArchive archive) {
        if (ctx.response().closed()) {
            return Future.succeededFuture(); // nobody waits for it any more
        }
        String name = archive.plugin().name().value();
        return ctx.response()
                .putHeader("Content-Type", "application/gzip")
                .putHeader("Content-Disposition", "attachment; filename=\"" + name + ".tar.gz\"")
                .putHeader("Content-Length", Long.toString(archive.size()))
                .putHeader("X-Plugin-Name", name)
                .putHeader(DIGEST, archive.digest())
                .putHeader("X-Plugin-Source", archive.plugin().source())
                .sendFile(archive.file().toString());
    }

    /** Null when absent or empty. */
    private static @Nullable String query(RoutingContext ctx, String name) {
        var values = ctx.queryParam(name);
        return values.isEmpty() || values.getFirst().isBlank() ? null : values.getFirst();
    }
}
