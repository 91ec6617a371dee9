package ai.molecule.provisioner.templates;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.configs.ConfigFile;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@code CONFIGS_DIR} as the disk has it, read anew each time: people put templates there by hand. Blocks. */
record TemplateFolder(Path folder) {

    /** The most templates that are looked at. */
    private static final int TEMPLATES_MAX = 1_000;

    /** The most one template may hold. */
    private static final int FILES_MAX = 1_000;

    private static final long BYTES_MAX = 32L * 1024 * 1024;

    Path path() {
        return folder;
    }

    /** The same one level down. */
    TemplateFolder below(String name) {
        return new TemplateFolder(folder.resolve(name));
    }

    /** Every folder, by name, whether it is a sound template or not. */
    List<Template> list() throws IOException {
        List<Template> templates = new ArrayList<>();
        try (var entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                if (!name.startsWith(".") && Files.isDirectory(entry) && templates.size() < TEMPLATES_MAX) {
                    templates.add(read(name, entry));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException none) {
            return List.of();
        }
        templates.sort((one, other) -> one.id().compareTo(other.id()));
        return templates;
    }

    /** Fails with INVALID {@code invalid template} for a name that leads out of the folder. */
    Optional<Template> find(String name) throws IOException {
        Path below;
        try {
            var path = FilePath.of(name);
            below = name.isEmpty() ? null : folder.resolve(path.toString());
            if (path.isRoot() && !name.isEmpty()) {
                throw ApiError.invalid("invalid template"); // all of them are none
            }
        } catch (ApiError climbing) {
            throw ApiError.invalid("invalid template");
        }
        if (below == null || !Files.isDirectory(below)) {
            return Optional.empty();
        }
        if (!below.toRealPath().startsWith(folder.toRealPath())) {
            throw ApiError.invalid("invalid template");
        }
        return Optional.of(read(name, below));
    }

    /** Every file of a template but links. Windows line ends of what is run or read as text are made plain. */
    static Map<FilePath, Buffer> filesOf(Template template) throws IOException {
        Map<FilePath, Buffer> files =
                new TreeMap<>((one, other) -> one.toString().compareTo(other.toString()));
        Files.walkFileTree(template.folder(), new SimpleFileVisitor<>() {

            private long bytes;

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile()) {
                    bytes += attributes.size();
                    if (attributes.size() > WorkspaceFiles.FILE_MAX_BYTES
                            || bytes > BYTES_MAX
                            || files.size() >= FILES_MAX) {
                        throw new ApiError(
                                ApiError.Kind.TOO_LARGE, "template %s is too large".formatted(template.id()));
                    }
                    String path = template.folder().relativize(file).toString();
                    files.put(FilePath.of(path), LineEnds.plain(path, Files.readAllBytes(file)));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    private static Template read(String id, Path folder) throws IOException {
        return new Template(id, folder, configIn(folder));
    }

    private static @Nullable ConfigFile configIn(Path folder) throws IOException {
        Path config = folder.resolve(ConfigFile.PATH.toString());
        if (!Files.isRegularFile(config) || Files.size(config) > WorkspaceFiles.FILE_MAX_BYTES) {
            return null;
        }
        return ConfigFile.of(Files.readAllBytes(config));
    }
}
