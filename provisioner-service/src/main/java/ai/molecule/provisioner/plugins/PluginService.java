package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.RestartSoon;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.FilesQuota;
import ai.molecule.provisioner.backend.OurWorkspaces;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What can be installed, what is installed, and the way from the one to the other. */
final class PluginService {

    private static final Logger LOGGER = LoggerFactory.getLogger(PluginService.class);

    /** Archives that are being sent: each is a file on our disk until its receiver has it. */
    private static final int SENDING_MAX = 32;

    private final Bus bus;
    private final Guards guards;
    private final PluginRegistry registry;
    private final PluginSources sources;
    private final PluginFetch fetch;
    private final InstalledPlugins installed;
    private final RunningAgents running;
    private final FilesQuota quota;
    private final OneAtATime changes = new OneAtATime();
    private final Turns sending = new Turns(SENDING_MAX, SENDING_MAX);

    PluginService(
            Bus bus,
            Guards guards,
            PluginRegistry registry,
            PluginSources sources,
            PluginFetch fetch,
            InstalledPlugins installed,
            RunningAgents running,
            FilesQuota quota) {
        this.bus = bus;
        this.guards = guards;
        this.registry = registry;
        this.sources = sources;
        this.fetch = fetch;
        this.installed = installed;
        this.running = running;
        this.quota = quota;
    }

    List<String> schemes() {
        return sources.schemes();
    }

    /** Of the registry, in name order; only those for a runtime, unless it is null. */
    Future<List<PluginInfo>> list(@Nullable String runtime) {
        return registry.list()
                .map(all -> all.stream()
                        .filter(plugin -> runtime == null || plugin.supports(runtime))
                        .toList());
    }

    /** Of the registry, those for the workspace's runtime. */
    Future<List<PluginInfo>> available(UUID workspaceId) {
        return runtimeOf(workspaceId).compose(this::list);
    }

    /** What a workspace has, and its runtime. */
    record Installed(String runtime, List<PluginInfo> plugins) {}

    /** In name order, whether the agent runs or not. */
    Future<Installed> installed(UUID workspaceId) {
        return runtimeOf(workspaceId)
                .compose(runtime -> new OurWorkspaces(bus)
                        .find(workspaceId)
                        .compose(ours -> ours.isEmpty()
                                ? Future.succeededFuture(List.<PluginInfo>of())
                                : installed.list(workspaceId))
                        .map(plugins -> new Installed(runtime, plugins)));
    }

    /** Puts a plugin into a running workspace and has its agent learn of it. Installing again replaces it. */
    Future<Installation> install(UUID workspaceId, PluginOrder order) {
        var plugin = sources.parse(order.source());
        var key = new OneAtATime.Key(workspaceId, plugin.name());
        return runtimeOf(workspaceId)
                .compose(known -> changes.run(
                        key,
                        order,
                        () -> fetch.with(
                                plugin,
                                order,
                                staged -> put(workspaceId, plugin.name(), staged.place())
                                        .map(staged.digest()))))
                .map(digest -> new Installation(plugin, digest));
    }

    /** What was put there, and the sum of all of it. */
    record Installation(PluginReference plugin, String digest) {}

    private Future<Void> put(UUID workspaceId, PluginName plugin, Staging.Place place) {
        return requireRunning(workspaceId)
                .compose(now -> fetch.sizeOf(place))
                .compose(size -> quota.admit(workspaceId, size.bytes(), size.files()))
                .compose(now -> installed.put(workspaceId, plugin, place.files()))
                .recover(failure -> Future.failedFuture(copyFailure(workspaceId, failure)))
                .compose(there -> restart(workspaceId));
    }

    /** Takes it out of a running workspace; one that is not there is fine. */
    Future<Void> uninstall(UUID workspaceId, PluginName plugin) {
        return runtimeOf(workspaceId)
                .compose(known -> changes.run(
                        new OneAtATime.Key(workspaceId, plugin),
                        "uninstall",
                        () -> requireRunning(workspaceId)
                                .compose(now -> installed.remove(workspaceId, plugin))
                                .onSuccess(gone -> quota.forget(workspaceId))
                                .compose(gone -> restart(workspaceId))
                                .map("")))
                .mapEmpty();
    }

    /**
     * Makes a plugin's archive and has it sent. It is for the workspace itself: nobody else's credential will do once it has one.
     *
     * @param send completes when the receiver has it, or is gone
     */
    Future<Void> download(
            UUID workspaceId,
            @Nullable String bearer,
            PluginName name,
            @Nullable String source,
            Function<PluginArchive, Future<Void>> send) {
        return guards.ownToken(bearer, workspaceId)
                .compose(own -> runtimeOf(workspaceId))
                .compose(known -> {
                    var plugin = sources.parse(source == null ? "local://" + name : source);
                    if (!plugin.name().equals(name)) {
                        throw otherName(plugin.name(), name);
                    }
                    return sending.take(() -> fetch.with(
                            plugin,
                            new PluginOrder(plugin.source(), null, null),
                            staged -> fetch.pack(plugin, staged).compose(send)));
                });
    }

    private Future<String> runtimeOf(UUID workspaceId) {
        return bus.call(ResolveRoute.CONTRACT, new ResolveRoute(workspaceId, null))
                .map(route -> {
                    if (!route.found() || route.status() == WorkspaceStatus.REMOVED) {
                        throw ApiError.notFound("workspace not found");
                    }
                    return route.runtime();
                });
    }

    private Future<Void> requireRunning(UUID workspaceId) {
        return running.includes(workspaceId).otherwise(false).map(runs -> {
            if (!runs) {
                throw ApiError.unavailable("workspace container not running");
            }
            return null;
        });
    }

    /** Asked for when the files are there, so that a restart that comes in between is not taken for the one that knows them. */
    private Future<Void> restart(UUID workspaceId) {
        return bus.call(RestartSoon.CONTRACT, new RestartSoon(workspaceId)).mapEmpty();
    }

    private static Throwable copyFailure(UUID workspaceId, Throwable failure) {
        if (failure instanceof ApiError) {
            return failure;
        }
        LOGGER.atError()
                .setCause(failure)
                .addKeyValue("workspaceId", workspaceId)
                .log("plugin could not be copied");
        return ApiError.internal("failed to copy plugin to container");
    }

    private static ApiError otherName(PluginName resolved, PluginName requested) {
        return new ApiError(
                ApiError.Kind.INVALID,
                "source resolved to plugin \"%s\" but URL requested \"%s\"".formatted(resolved, requested),
                Map.of("resolved_name", resolved.value(), "requested_name", requested.value()));
    }
}
