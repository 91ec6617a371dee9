package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.containers.Tier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/** The workspace runtime in a small JVM of the Java that runs us. */
public record RuntimeJar(@Nullable Path file) implements AgentCommand {

    /** Where the runtime lists its adapters, one name a line. */
    private static final String ADAPTERS = "META-INF/molecule/adapters";

    private static final int ADAPTERS_MAX_BYTES = 4096;

    @Override
    public List<String> of(AgentMark mark, Tier tier) {
        List<String> command = new ArrayList<>();
        command.add(java().toString());
        command.addAll(mark.arguments());
        command.addAll(List.of(
                "-Xmx%dm".formatted(tier.heapMb()),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:ActiveProcessorCount=" + tier.processors(),
                "-XX:+ExitOnOutOfMemoryError"));
        var jar = installed();
        var cache = cacheOf(jar);
        if (Files.isReadable(cache)) {
            command.add("-XX:AOTCache=" + cache); // one that does not fit is passed over by the JVM
        }
        command.addAll(List.of("-jar", jar.toString()));
        return command;
    }

    @Override
    public List<Path> needs() {
        return List.of(java(), installed());
    }

    private static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** What a start was seen to load, written beside the jar by whoever built it: it halves the time to start. */
    private static Path cacheOf(Path jar) {
        return jar.resolveSibling(jar.getFileName().toString().replaceFirst("\\.jar$", "") + ".aot");
    }

    @Override
    public Set<String> adapters() {
        try (var jar = new JarFile(installed().toFile())) {
            var entry = jar.getJarEntry(ADAPTERS);
            return entry == null ? Set.of() : names(jar.getInputStream(entry));
        } catch (IOException broken) {
            throw new StartRefused(
                    "workspace start failed: the workspace runtime cannot be read (MOLECULE_RUNTIME_JAR)");
        }
    }

    private static Set<String> names(InputStream list) throws IOException {
        var names = new TreeSet<String>();
        new String(list.readNBytes(ADAPTERS_MAX_BYTES), StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .forEach(names::add);
        return names;
    }

    private Path installed() {
        if (file == null || !Files.isReadable(file)) {
            throw new StartRefused(
                    "workspace start failed: the workspace runtime is not installed (MOLECULE_RUNTIME_JAR)");
        }
        return file;
    }
}
