package ai.molecule.provisioner.templates;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A template to be imported, checked and complete.
 *
 * @param id the folder it will be
 * @param files content by path, {@code config.yaml} among them
 */
record NewTemplate(String id, String name, Map<FilePath, String> files) {

    private static final int FILES_MAX = 200;
    private static final int ID_MAX = 100;
    private static final String BAD = "invalid request body";

    /** Fails with INVALID: too many files, a path that climbs, one that is also a folder, a config that is no YAML. */
    static NewTemplate of(String name, Map<String, String> content) {
        if (content.size() > FILES_MAX) {
            throw ApiError.invalid("too many files (%d), max %d".formatted(content.size(), FILES_MAX));
        }
        String id = TemplateName.of(name);
        if (content.isEmpty() || id.length() > ID_MAX) {
            throw ApiError.invalid(BAD);
        }
        Map<FilePath, String> files = new LinkedHashMap<>();
        content.forEach((path, text) -> files.put(pathOf(path), text));
        for (var path : files.keySet()) {
            for (int i = 1; i < path.names().size(); i++) {
                if (files.containsKey(new FilePath(path.names().subList(0, i)))) {
                    throw ApiError.invalid(BAD);
                }
            }
        }
        var config = files.get(ConfigFile.PATH);
        if (config == null) {
            files.put(ConfigFile.PATH, ImportedConfig.of(name, files.keySet()));
        } else {
            checkConfig(config);
        }
        return new NewTemplate(id, name, files);
    }

    private static FilePath pathOf(String text) {
        FilePath path;
        try {
            path = FilePath.of(text);
        } catch (ApiError climbing) {
            throw ApiError.invalid(BAD);
        }
        if (path.isRoot()) {
            throw ApiError.invalid(BAD);
        }
        return path;
    }

    private static void checkConfig(String config) {
        String wrong = "";
        try {
            wrong = BoundedYaml.parse(config) instanceof ObjectNode ? "" : "is no mapping";
        } catch (YamlRefused refused) {
            wrong = refused.sentence();
        }
        if (!wrong.isEmpty()) {
            throw ApiError.invalid("config.yaml " + wrong);
        }
    }
}
