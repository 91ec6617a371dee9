package ai.molecule.runtime.mcpclient;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is wrong with a schema, so far as endpoints of models refuse it: they refuse the whole request then, and with it every other tool. Of what
 * they take, they know more than is looked at here.
 */
final class SchemaFault {

    private static final int DEPTH_MAX = 32;
    private static final Set<String> TYPES =
            Set.of("object", "array", "string", "number", "integer", "boolean", "null");
    private static final List<String> MAPS = List.of("properties", "patternProperties", "$defs", "definitions");
    private static final List<String> SCHEMAS = List.of("items", "additionalProperties", "not", "contains");
    private static final List<String> LISTS = List.of("anyOf", "oneOf", "allOf", "prefixItems");

    private final JsonNode root;

    private SchemaFault(JsonNode root) {
        this.root = root;
    }

    /** Empty when nothing is. */
    static Optional<String> of(JsonNode schema) {
        return new SchemaFault(schema).in(schema, 0);
    }

    private Optional<String> in(JsonNode schema, int depth) {
        if (schema.isBoolean()) {
            return Optional.empty();
        }
        if (!schema.isObject()) {
            return Optional.of("is no schema in a place where one must be");
        }
        if (depth > DEPTH_MAX) {
            return Optional.of("is nested more than " + DEPTH_MAX + " deep");
        }
        return typeOf(schema)
                .or(() -> wordsOf(schema))
                .or(() -> referenceOf(schema))
                .or(() -> below(schema, depth + 1));
    }

    private static Optional<String> typeOf(JsonNode schema) {
        JsonNode type = schema.path("type");
        boolean known = type.isMissingNode()
                || TYPES.contains(type.asText())
                || type.isArray()
                        && !type.isEmpty()
                        && type.valueStream().allMatch(each -> TYPES.contains(each.asText()));
        return known ? Optional.empty() : Optional.of("has a type that is none");
    }

    private static Optional<String> wordsOf(JsonNode schema) {
        JsonNode required = schema.path("required");
        if (!required.isMissingNode()
                && !(required.isArray() && required.valueStream().allMatch(JsonNode::isTextual))) {
            return Optional.of("has required names that are none");
        }
        JsonNode values = schema.path("enum");
        if (!values.isMissingNode() && (!values.isArray() || values.isEmpty())) {
            return Optional.of("has an enum without values");
        }
        return Optional.empty();
    }

    private Optional<String> referenceOf(JsonNode schema) {
        JsonNode reference = schema.path("$ref");
        if (reference.isMissingNode()) {
            return Optional.empty();
        }
        String to = reference.asText();
        try {
            return to.startsWith("#") && root.at(to.substring(1)).isObject()
                    ? Optional.empty()
                    : Optional.of("refers to what is not in it");
        } catch (IllegalArgumentException noPointer) {
            return Optional.of("refers to what is not in it");
        }
    }

    private Optional<String> below(JsonNode schema, int depth) {
        for (String name : MAPS) {
            JsonNode map = schema.path(name);
            if (!map.isMissingNode() && !map.isObject()) {
                return Optional.of("has " + name + " that are none");
            }
            for (JsonNode each : map) {
                Optional<String> fault = in(each, depth);
                if (fault.isPresent()) {
                    return fault;
                }
            }
        }
        for (String name : LISTS) {
            JsonNode list = schema.path(name);
            if (!list.isMissingNode() && (!list.isArray() || list.isEmpty())) {
                return Optional.of("has " + name + " that are none");
            }
            for (JsonNode each : list) {
                Optional<String> fault = in(each, depth);
                if (fault.isPresent()) {
                    return fault;
                }
            }
        }
        for (String name : SCHEMAS) {
            JsonNode one = schema.path(name);
            for (JsonNode each :
                    one.isArray() && name.equals("items") ? one : List.of(one)) { // a list: of older drafts
                Optional<String> fault = each.isMissingNode() ? Optional.empty() : in(each, depth);
                if (fault.isPresent()) {
                    return fault;
                }
            }
        }
        return Optional.empty();
    }
}
