package ai.molecule.sdk;

import ai.molecule.sdk.plugins.ArchiveLimits;
import ai.molecule.sdk.plugins.PluginArchive;
import ai.molecule.sdk.plugins.PluginManifest;
import ai.molecule.sdk.plugins.PluginSetup;
import ai.molecule.sdk.plugins.PluginSha256;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Brings a plugin from the platform to this agent's disk: beside its place first, into it when all is well. */
final class PluginInstaller {

    private static final Logger LOGGER = System.getLogger(PluginInstaller.class.getName());
    private static final Duration DOWNLOAD_TIMEOUT = Duration.ofSeconds(60);

    /** The platform allows 100 MiB of files, which may be such that compression makes them larger. */
    private static final int DOWNLOAD_MAX_BYTES = 104 * 1024 * 1024;

    private final ClientConfig config;
    private final PlatformHttp http;
    private final Path plugins;

    PluginInstaller(ClientConfig config, PlatformHttp http, Path plugins) {
        this.config = config;
        this.http = http;
        this.plugins = plugins;
    }

    Path install(PluginRequest plugin) throws IOException, InterruptedException {
        byte[] archive = http.download(downloadPath(plugin), DOWNLOAD_TIMEOUT, DOWNLOAD_MAX_BYTES);
        Path target = plugins.resolve(plugin.name());
        Path staging = plugins.resolve(".staging-" + plugin.name() + "-" + suffix());
        Files.createDirectories(staging);
        try {
            PluginArchive.unpack(archive, staging, ArchiveLimits.DEFAULT);
            checkSum(staging);
            putInPlace(staging, target);
        } finally {
            delete(staging);
        }
        if (plugin.runSetup()) {
            PluginSetup.run(target);
        }
        if (plugin.report()) {
            report(plugin);
        }
        return target;
    }

    private String downloadPath(PluginRequest plugin) {
        String query = plugin.source()
                .map(source -> "?source=" + PlatformHttp.encoded(source))
                .orElse("");
        return "/workspaces/" + PlatformHttp.encoded(config.workspaceId()) + "/plugins/" + plugin.name() + "/download"
                + query;
    }

    private static void checkSum(Path folder) {
        Optional<String> expected = PluginManifest.sha256In(folder);
        expected.ifPresent(sum -> PluginSha256.verify(folder, sum));
    }

    /** What is there steps aside first and comes back when the new one cannot take its place. */
    private void putInPlace(Path staging, Path target) throws IOException {
        if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            Files.move(staging, target);
            return;
        }
        Path before = plugins.resolve(".before-" + target.getFileName() + "-" + suffix());
        Files.move(target, before);
        try {
            Files.move(staging, target);
        } catch (IOException e) {
            Files.move(before, target);
            throw e;
        }
        delete(before);
    }

    private void report(PluginRequest plugin) {
        String source = plugin.source().orElse("local://" + plugin.name());
        var body = PlatformHttp.JSON.createObjectNode().put("source", source);
        try {
            http.postRaw(
                    "/workspaces/" + PlatformHttp.encoded(config.workspaceId()) + "/plugins",
                    body,
                    RemoteAgentClient.CALL_TIMEOUT);
        } catch (PlatformException e) {
            LOGGER.log(Level.WARNING, "the platform was not told of plugin {0}: {1}", plugin.name(), e.getMessage());
        }
    }

    /** Does not follow links; nothing there is fine. */
    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static String suffix() {
        return UUID.randomUUID().toString().substring(0, 8);
    }
}
