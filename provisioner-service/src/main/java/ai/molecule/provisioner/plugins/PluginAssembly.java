package ai.molecule.provisioner.plugins;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.provisioner.backend.FilesQuota;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.plugins.sources.GithubPlugins;
import ai.molecule.provisioner.plugins.sources.LocalPlugins;
import ai.molecule.provisioner.plugins.sources.TarballDownload;
import ai.molecule.provisioner.shipped.ShippedFolder;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;

/**
 * Puts the parts together.
 *
 * @param dialer for repositories; its rules decide which addresses may be dialled
 * @param githubUrl where the archives of repositories are
 */
public record PluginAssembly(
        Vertx vertx, Bus bus, Guards guards, SafeDialer dialer, String githubUrl, PluginSettings settings) {

    /** A path that nobody has: a registry without a folder is empty. */
    private static final Path NOWHERE = Path.of("no-plugins");

    /** Completes when the staging is empty and the registry is there. */
    public Future<PluginRoutes> open(RunningAgents running, WorkspaceFiles files, FilesQuota quota) {
        Path folder = settings.registry();
        Future<Void> ready = folder != null && settings.shipped()
                ? ShippedFolder.PLUGINS.layOutWhereNothingIs(vertx, folder)
                : Future.succeededFuture();
        return ready.compose(there -> Staging.open(vertx, settings.staging()))
                .map(staging -> routes(folder == null ? NOWHERE : folder, staging, running, files, quota));
    }

    private PluginRoutes routes(
            Path folder, Staging staging, RunningAgents running, WorkspaceFiles files, FilesQuota quota) {
        var sources = new PluginSources(
                List.of(
                        new LocalPlugins(vertx, folder),
                        new GithubPlugins(vertx, new TarballDownload(vertx, dialer), githubUrl)),
                settings);
        var service = new PluginService(
                bus,
                guards,
                new PluginRegistry(vertx, folder),
                sources,
                new PluginFetch(vertx, settings, staging),
                new InstalledPlugins(files),
                running,
                quota);
        return new PluginRoutes(service, settings);
    }
}
