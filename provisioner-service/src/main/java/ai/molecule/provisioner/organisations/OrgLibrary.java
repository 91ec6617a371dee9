package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.FilePath;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The organisations that lie ready to be imported, each in a folder of its own. Every method reads the disk and blocks. */
record OrgLibrary(Path root) {

    private static final Logger LOGGER = LoggerFactory.getLogger(OrgLibrary.class);
    private static final List<String> NAMES = List.of("org.yaml", "org.yml");

    /** So many folders are looked at. */
    private static final int FOLDERS_MAX = 200;

    /** {@code [{"dir", "name", "description", "workspaces", "required_env", "recommended_env"}]}; broken ones are left out. */
    ArrayNode list() {
        var list = Json.MAPPER.createArrayNode();
        try (var folders = Files.list(root)) {
            folders.filter(Files::isDirectory)
                    .sorted()
                    .limit(FOLDERS_MAX)
                    .map(this::describe)
                    .flatMap(Optional::stream)
                    .forEach(list::add);
        } catch (NoSuchFileException | NotDirectoryException none) {
            // nothing lies ready
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return list;
    }

    /** Fails with INVALID {@code invalid org directory} and NOT_FOUND {@code org template not found: <dir>}. */
    OrgFolder folder(String dir) {
        FilePath below;
        try {
            below = FilePath.of(dir);
        } catch (ApiError climbing) {
            throw ApiError.invalid("invalid org directory");
        }
        if (below.isRoot() || below.names().stream().anyMatch(name -> name.startsWith("."))) {
            throw ApiError.invalid("invalid org directory");
        }
        return DiskFolder.find(root, below)
                .filter(folder -> folder.read(FilePath.of(NAMES.getFirst())).isPresent())
                .orElseThrow(() -> ApiError.notFound("org template not found: " + dir));
    }

    private Optional<ObjectNode> describe(Path path) {
        String dir = path.getFileName().toString();
        try {
            var folder = DiskFolder.find(root, FilePath.of(dir));
            for (String name : NAMES) {
                var content = folder.flatMap(found -> found.read(FilePath.of(name)));
                if (content.isPresent()) {
                    var yaml = OrgYaml.read(folder.orElseThrow(), FilePath.of(name), content.get());
                    return Optional.of(describe(dir, OrgTemplate.of(yaml)));
                }
            }
            return Optional.empty();
        } catch (ApiError broken) {
            LOGGER.atWarn()
                    .addKeyValue("dir", dir)
                    .addKeyValue("reason", broken.publicMessage() + " " + broken.details())
                    .log("an organisation's template cannot be used");
            return Optional.empty();
        }
    }

    private static ObjectNode describe(String dir, OrgTemplate template) {
        var described = Json.object()
                .put("dir", dir)
                .put("name", template.name())
                .put("description", template.description())
                .put("workspaces", template.preorder().count());
        described.putArray("required_env");
        described.putArray("recommended_env");
        template.required().forEach(each -> described.withArray("required_env").add(each.toJson()));
        template.recommended()
                .forEach(each -> described.withArray("recommended_env").add(each.toJson()));
        return described;
    }
}
