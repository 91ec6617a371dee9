package ai.molecule.provisioner.plugins;

import ai.molecule.provisioner.plugins.sources.LocalPlugins;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** The plugins that lie in a folder of this machine, one folder each. Read anew every time: an operator just puts them there. */
record PluginRegistry(Vertx vertx, Path folder) {

    /** More are not looked at. */
    private static final int PLUGINS_MAX = 1_000;

    /** In name order; empty when there is no such folder. */
    Future<List<PluginInfo>> list() {
        return vertx.executeBlocking(this::read, false);
    }

    private List<PluginInfo> read() throws IOException {
        try (var folders = Files.list(folder)) {
            return folders.filter(Files::isDirectory)
                    .map(one -> one.getFileName().toString())
                    .filter(name -> LocalPlugins.NAME.matcher(name).matches())
                    .limit(PLUGINS_MAX)
                    .map(this::info)
                    .sorted(Comparator.comparing(PluginInfo::name))
                    .toList();
        } catch (NoSuchFileException | NotDirectoryException none) {
            return List.of();
        }
    }

    private PluginInfo info(String name) {
        Path manifest = folder.resolve(name).resolve(PluginManifest.FILE);
        if (!Files.isRegularFile(manifest)) {
            return PluginInfo.nameOnly(name);
        }
        try (var in = Files.newInputStream(manifest)) {
            return PluginManifest.read(name, in.readNBytes(PluginManifest.MAX_BYTES + 1));
        } catch (IOException unreadable) {
            return PluginInfo.nameOnly(name);
        }
    }
}
