package ai.molecule.runtime;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Jars with kinds of agents that are none of this runtime's: those of the operator, in the folder {@code MOLECULE_ADAPTERS}, then those of {@code
 * adapters/} beside the configuration. They have the rights of the agent.
 */
final class AdapterJars {

    static final int JARS_MAX = 50;

    private AdapterJars() {}

    /** The loader of all of them, open for as long as the process lives; this runtime's own where there are none. */
    static ClassLoader of(Path configFolder, Map<String, String> environment) {
        var own = AdapterJars.class.getClassLoader();
        List<URL> jars = new ArrayList<>();
        String given = environment.getOrDefault("MOLECULE_ADAPTERS", "").strip();
        if (!given.isEmpty()) {
            jars.addAll(in(Path.of(given)));
        }
        jars.addAll(in(configFolder.resolve("adapters")));
        return jars.isEmpty() ? own : new URLClassLoader("adapters", jars.toArray(URL[]::new), own);
    }

    private static List<URL> in(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<URL> jars = new ArrayList<>();
            for (Path jar : files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .limit(JARS_MAX)
                    .toList()) {
                jars.add(url(jar));
            }
            return jars;
        } catch (IOException unreadable) {
            throw new PreflightFailure(
                    "Adapters", folder + " cannot be read", "Make it readable for the agent's user.");
        }
    }

    private static URL url(Path jar) throws MalformedURLException {
        return jar.toUri().toURL();
    }
}
