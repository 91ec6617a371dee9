package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What the configs of workspaces begin with, each folder read once. Reads the disk and blocks; to be used once. */
final class BaseFiles {

    /** Credentials and the platform's own: never copied into the configs of an agent. */
    private static final List<String> LEFT_OUT = List.of(EnvFile.NAME, ".auth_token", ".git");

    /** @param config what the folder's {@code config.yaml} says, which is not among the files; empty without one */
    record Base(Map<FilePath, Buffer> files, JsonNode config) {}

    private final OrgFolder folder;
    private final Path templates;
    private final ReadBytes read;
    private final Map<String, Base> known = new HashMap<>();

    BaseFiles(OrgFolder folder, Path templates, ReadBytes read) {
        this.folder = folder;
        this.templates = templates;
        this.read = read;
    }

    /**
     * Its own folder in the organisation, else its template, else its runtime's default template, else nothing.
     *
     * @param missing is told what was named but is not there
     */
    Base of(OrgWorkspace workspace, FilePath filesDir, String runtime, Consumer<String> missing) {
        if (!filesDir.isRoot()) {
            if (folder.isFolder(filesDir)) {
                return known.computeIfAbsent("files/" + filesDir, key -> load(folder, filesDir));
            }
            missing.accept("folder " + filesDir);
        }
        if (workspace.template() != null) {
            var template = template(FilePath.of(workspace.template()));
            if (template.isPresent()) {
                return template.get();
            }
            missing.accept("template " + workspace.template());
        }
        return (runtime.matches("[A-Za-z0-9_-]{1,100}")
                        ? template(FilePath.of(runtime + "-default"))
                        : Optional.<Base>empty())
                .orElse(new Base(Map.of(), Json.object()));
    }

    private Optional<Base> template(FilePath name) {
        var loaded = known.get("template/" + name);
        if (loaded != null) {
            return Optional.of(loaded);
        }
        var found = name.isRoot() ? Optional.<DiskFolder>empty() : DiskFolder.find(templates, name);
        return found.map(template -> {
            var base = load(template, FilePath.ROOT);
            known.put("template/" + name, base);
            return base;
        });
    }

    private Base load(OrgFolder from, FilePath below) {
        Map<FilePath, Buffer> files = new LinkedHashMap<>();
        for (var path : from.filesBelow(below)) {
            var relative = new FilePath(
                    path.names().subList(below.names().size(), path.names().size()));
            if (relative.names().stream().noneMatch(LEFT_OUT::contains)) {
                from.read(path).ifPresent(content -> files.put(relative, read.counted(content)));
            }
        }
        var config = files.remove(ConfigFile.PATH);
        return new Base(files, config == null ? Json.object() : config(config));
    }

    private static JsonNode config(Buffer content) {
        try {
            var config = BoundedYaml.parse(content.toString(StandardCharsets.UTF_8));
            return config.isObject() ? config : Json.object();
        } catch (YamlRefused refused) {
            throw ApiError.invalid("config.yaml " + refused.getMessage());
        }
    }
}
