package ai.molecule.system.kubernetes;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@code kustomization.yaml}, of which only what stands here may be used: {@link Rendered} can do no more. */
record Kustomization(
        String apiVersion,
        String kind,
        List<String> resources,
        @Nullable List<Generator> configMapGenerator,
        @Nullable List<Patch> patches,
        @Nullable List<Image> images) {

    static final String FILE = "kustomization.yaml";

    private static final JsonMapper YAML = JsonMapper.builder(new YAMLFactory())
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    record Generator(
            String name, String namespace, @Nullable String behavior, List<String> literals) {

        boolean merges() {
            return "merge".equals(behavior);
        }

        Map<String, String> values() {
            Map<String, String> values = new LinkedHashMap<>();
            literals.forEach(literal -> {
                String[] parts = literal.split("=", 2);
                if (values.put(parts[0], parts[1]) != null) {
                    throw new IllegalStateException("%s twice in the config map %s".formatted(parts[0], name));
                }
            });
            return values;
        }
    }

    record Patch(String path) {}

    /** What {@code docker/pin} writes: another registry and a digest for a name, which {@link Rendered} leaves as it is. */
    record Image(
            String name, @Nullable String newName, @Nullable String digest) {}

    List<Image> imageList() {
        return images == null ? List.of() : images;
    }

    static Kustomization read(Path folder) throws IOException {
        return YAML.readValue(Files.readString(folder.resolve(FILE)), Kustomization.class);
    }

    /** The documents of a file; a key that stands twice is an error. */
    static List<JsonNode> documents(Path file) throws IOException {
        try (var found = YAML.readerFor(JsonNode.class).<JsonNode>readValues(Files.readString(file))) {
            return found.readAll();
        }
    }

    List<Generator> generators() {
        return configMapGenerator == null ? List.of() : configMapGenerator;
    }

    List<Patch> patchList() {
        return patches == null ? List.of() : patches;
    }
}
