package ai.molecule.system.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a manifest as fabric8's model of it, and complains about whatever the model does not know. The model itself takes unknown
 * fields along silently; so it is written out again without those, and what is missing then was one.
 */
final class StrictModel {

    private static final KubernetesSerialization MODEL = new KubernetesSerialization();

    private static final JsonMapper KNOWN_FIELDS = JsonMapper.builder()
            .annotationIntrospector(new JacksonAnnotationIntrospector() {
                @Override
                public Boolean hasAnyGetter(Annotated any) {
                    return false;
                }
            })
            .build();

    private StrictModel() {}

    static Optional<HasMetadata> parse(String name, JsonNode document, List<String> complaints) {
        HasMetadata model;
        try {
            model = MODEL.unmarshal(document.toString());
        } catch (RuntimeException refused) {
            complaints.add("%s cannot be read: %s".formatted(name, refused));
            return Optional.empty();
        }
        if (model instanceof GenericKubernetesResource) {
            complaints.add("%s is of no kind that is known".formatted(name));
            return Optional.empty();
        }
        compare(name, document, KNOWN_FIELDS.valueToTree(model), complaints);
        return Optional.of(model);
    }

    private static void compare(String where, JsonNode written, @Nullable JsonNode known, List<String> complaints) {
        if (known == null || known.isMissingNode()) {
            if (!written.isEmpty() || written.isValueNode()) {
                complaints.add("%s is unknown".formatted(where));
            }
        } else if (written.isObject()) {
            written.properties()
                    .forEach(field -> compare(
                            where + "." + field.getKey(), field.getValue(), known.get(field.getKey()), complaints));
        } else if (written.isArray()) {
            for (int i = 0; i < written.size(); i++) {
                compare("%s[%d]".formatted(where, i), written.get(i), known.get(i), complaints);
            }
        } else if (!written.toString().equals(known.toString())) {
            complaints.add("%s is %s and was understood as %s".formatted(where, written, known));
        }
    }
}
