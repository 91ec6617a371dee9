package ai.molecule.provisioner.plugins.sources;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.plugins.sources.FetchFailure.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/** {@code local://<name>}: the plugins that lie in the registry's folder, each in a folder of its name. */
public record LocalPlugins(Vertx vertx, Path registry) implements PluginSource {

    /** Registry contract, 7.7. */
    public static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,127}");

    @Override
    public String scheme() {
        return "local";
    }

    @Override
    public Origin parse(String spec) {
        if (spec.contains("/") || spec.contains("\\") || spec.contains("..")) {
            throw ApiError.invalid("invalid plugin name");
        }
        if (!NAME.matcher(spec).matches()) {
            throw PluginSource.invalid();
        }
        return new Local(this, spec);
    }

    private record Local(LocalPlugins plugins, String plugin) implements Origin {

        @Override
        public boolean pinned() {
            return true; // it is what the operator put there
        }

        @Override
        public boolean fixed() {
            return true;
        }

        @Override
        public Future<Void> fetch(Path folder, FetchLimits limits) {
            return plugins.vertx.executeBlocking(
                    () -> {
                        Path source = plugins.registry.resolve(plugin);
                        if (!Files.isDirectory(source)) {
                            throw new FetchFailure(Kind.NOT_FOUND, "no folder " + source);
                        }
                        copy(source.toRealPath(), new StagedFiles(folder, limits));
                        return null;
                    },
                    false);
        }
    }

    /** The operator may link a plugin's folder into the registry; links inside it are left out. */
    private static void copy(Path source, StagedFiles files) throws IOException {
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                if (!folder.equals(source)) {
                    files.countEntry();
                    files.folder(names(folder));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                files.countEntry();
                if (attributes.isRegularFile()) {
                    try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
                        files.file(names(file), attributes.size(), Files.isExecutable(file), in::read);
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            private List<String> names(Path path) {
                return StreamSupport.stream(source.relativize(path).spliterator(), false)
                        .map(Path::toString)
                        .toList();
            }
        });
    }
}
