package ai.molecule.provisioner.plugins;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What plugins may cost and where they are.
 *
 * @param registry {@code PLUGINS_DIR}, made with the plugins that come with Molecule when it does not exist; else a folder {@code
 *     plugins} beside {@code CONFIGS_DIR}, above the working folder or in it, the first that holds a folder; null when none does
 * @param shipped whether it may be made so
 * @param staging {@code plugin-staging} in {@code MOLECULE_DATA}, else a temporary folder. Emptied at every start
 * @param bodyMaxBytes {@code PLUGIN_INSTALL_BODY_MAX_BYTES}, default 65,536
 * @param fetchTimeout {@code PLUGIN_INSTALL_FETCH_TIMEOUT}, {@code 300}, {@code 300s} or {@code 5m}, the default
 * @param pluginMaxBytes {@code PLUGIN_INSTALL_MAX_DIR_BYTES}, default 100 MiB
 * @param allowUnpinned {@code PLUGIN_ALLOW_UNPINNED=true}: a repository without a tag or commit is whatever it is that day
 * @param commitsOnly in production: a tag is no version, for it moves
 * @param allowed {@code MOLECULE_PLUGIN_SOURCES}; default all, in production those of the registry
 */
public record PluginSettings(
        @Nullable Path registry,
        boolean shipped,
        @Nullable Path staging,
        long bodyMaxBytes,
        Duration fetchTimeout,
        long pluginMaxBytes,
        boolean allowUnpinned,
        boolean commitsOnly,
        AllowedSources allowed) {

    private static final Pattern TIME = Pattern.compile("([1-9][0-9]{0,4})([smh]?)");
    private static final Duration TIME_MAX = Duration.ofHours(1);
    private static final long MEBIBYTE = 1024L * 1024;

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static PluginSettings fromEnv(Env env) {
        String named = env.find("PLUGINS_DIR");
        String data = env.find("MOLECULE_DATA");
        boolean production = Environment.of(env.find("MOLECULE_ENV")) == Environment.PRODUCTION;
        var sources = env.list("MOLECULE_PLUGIN_SOURCES");
        return new PluginSettings(
                named == null ? found(env.find("CONFIGS_DIR")) : Path.of(named).toAbsolutePath(),
                named != null,
                data == null ? null : Path.of(data).toAbsolutePath().resolve("plugin-staging"),
                env.integer("PLUGIN_INSTALL_BODY_MAX_BYTES", 65_536, 1, MEBIBYTE),
                time("PLUGIN_INSTALL_FETCH_TIMEOUT", env.text("PLUGIN_INSTALL_FETCH_TIMEOUT", "5m")),
                env.integer("PLUGIN_INSTALL_MAX_DIR_BYTES", 100 * MEBIBYTE, 1, 1024 * MEBIBYTE),
                "true".equals(env.find("PLUGIN_ALLOW_UNPINNED")),
                production,
                sources.isEmpty()
                        ? production ? AllowedSources.REGISTRY : AllowedSources.ALL
                        : new AllowedSources(sources));
    }

    private static @Nullable Path found(@Nullable String configs) {
        var beside = configs == null ? Stream.<Path>empty() : Stream.of(Path.of(configs, "..", "plugins"));
        return Stream.concat(beside, Stream.of(Path.of("..", "plugins"), Path.of("plugins")))
                .map(path -> path.toAbsolutePath().normalize())
                .filter(PluginSettings::holdsFolder)
                .findFirst()
                .orElse(null);
    }

    private static boolean holdsFolder(Path folder) {
        try (var entries = Files.list(folder)) {
            return entries.anyMatch(Files::isDirectory);
        } catch (IOException none) {
            return false;
        }
    }

    private static Duration time(String name, String text) {
        var parts = TIME.matcher(text);
        if (parts.matches()) {
            long amount = Long.parseLong(parts.group(1));
            var time =
                    switch (parts.group(2)) {
                        case "m" -> Duration.ofMinutes(amount);
                        case "h" -> Duration.ofHours(amount);
                        default -> Duration.ofSeconds(amount);
                    };
            if (time.compareTo(TIME_MAX) <= 0) {
                return time;
            }
        }
        throw new IllegalArgumentException(name + " must be a time of at most 1h, such as 300s or 5m");
    }
}
