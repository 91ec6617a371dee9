package ai.molecule.provisioner.organisations;

import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.yaml.BoundedYaml;
import ai.molecule.provisioner.yaml.YamlRefused;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads an {@code org.yaml} with its {@code !include}s as JSON: each file within the bounds of {@link BoundedYaml}, all of them
 * together within 4 MiB, an included one counted each time. To be used once.
 */
final class OrgYaml {

    private static final int BYTES_MAX = 4 * 1024 * 1024;
    private static final int INCLUDE_DEPTH_MAX = 16;
    private static final String INCLUDE = "!include";

    private final OrgFolder folder;
    private final Set<FilePath> open = new LinkedHashSet<>();
    private int bytes;

    private OrgYaml(OrgFolder folder) {
        this.folder = folder;
    }

    /** Fails with INVALID as {@link InvalidOrganisation} says. */
    static JsonNode read(OrgFolder folder, FilePath file, byte[] content) {
        return new OrgYaml(folder).yaml(file, content);
    }

    private JsonNode yaml(FilePath file, byte[] content) {
        open.add(file);
        try {
            return BoundedYaml.parse(text(file, content), Map.of(INCLUDE, target -> include(target, file)));
        } catch (YamlRefused refused) {
            throw InvalidOrganisation.template("%s %s".formatted(file, refused.getMessage()));
        } finally {
            open.remove(file);
        }
    }

    /** A list, mapping or text of YAML; of {@code .md} and {@code .txt} files the text itself. */
    private JsonNode include(String target, FilePath from) {
        if (open.size() > INCLUDE_DEPTH_MAX) {
            throw InvalidOrganisation.expansion("includes nested deeper than %d".formatted(INCLUDE_DEPTH_MAX));
        }
        var file = resolve(target, from);
        if (open.contains(file)) {
            throw InvalidOrganisation.expansion("%s includes itself".formatted(file));
        }
        var content = folder.read(file)
                .orElseThrow(() -> InvalidOrganisation.expansion("%s: there is no file %s".formatted(from, file)));
        return target.endsWith(".md") || target.endsWith(".txt")
                ? JsonNodeFactory.instance.textNode(text(file, content))
                : yaml(file, content);
    }

    /** Relative to the file that includes; may climb, but not out of the folder. */
    private static FilePath resolve(String target, FilePath from) {
        if (!target.isBlank() && target.indexOf('\0') < 0 && !target.startsWith("/")) {
            var resolved = Path.of(from.toString()).resolveSibling(target).normalize();
            if (!resolved.startsWith("..") && !resolved.toString().isEmpty()) {
                return FilePath.of(resolved.toString());
            }
        }
        throw InvalidOrganisation.expansion(
                "%s: \"%s\" lies outside of the organisation's folder".formatted(from, target));
    }

    private String text(FilePath file, byte[] content) {
        bytes += content.length;
        if (bytes > BYTES_MAX) {
            throw InvalidOrganisation.template("all files together are larger than %d bytes".formatted(BYTES_MAX));
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException binary) {
            throw InvalidOrganisation.template(file + " is not UTF-8");
        }
    }
}
