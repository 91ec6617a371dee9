package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * What tells one thing that is asked for from every other, as the platform computes it for the approval: 64 lower-case hexadecimal digits. Whoever
 * runs what was approved compares it with the {@code decided_digest} of the decision.
 *
 * <pre>{@code
 * String digest = ApprovalDigest.of("run id", "to see who I am", arguments);
 * if (digest.equals(decided.path("decided_digest").asText())) { ... }
 * }</pre>
 */
public final class ApprovalDigest {

    /** Of whole numbers, the largest that every reader of JSON holds exactly. */
    private static final BigDecimal EXACT_MAX = BigDecimal.valueOf((1L << 53) - 1);

    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private ApprovalDigest() {}

    /** @param context as {@link WorkspaceClient#requestApproval} sends it; empty for nothing */
    public static String of(String action, String reason, ObjectNode context) {
        ObjectNode numbers = JsonNodeFactory.instance.objectNode();
        ObjectNode asked =
                JsonNodeFactory.instance.objectNode().put("action", action).put("reason", reason);
        asked.set("context", context.isEmpty() ? JsonNodeFactory.instance.nullNode() : held(context, "", numbers));
        asked.set("numbers", numbers);
        StringBuilder canonical = new StringBuilder();
        write(asked, canonical);
        return sha256(canonical.toString());
    }

    /** The same without the numbers that a double may not hold, which stand in {@code numbers}, exactly, by their JSON pointer. */
    private static JsonNode held(JsonNode json, String pointer, ObjectNode numbers) {
        if (json.isObject()) {
            ObjectNode members = JsonNodeFactory.instance.objectNode();
            for (Iterator<Map.Entry<String, JsonNode>> each = json.fields(); each.hasNext(); ) {
                Map.Entry<String, JsonNode> member = each.next();
                String name = member.getKey().replace("~", "~0").replace("/", "~1");
                members.set(member.getKey(), held(member.getValue(), pointer + "/" + name, numbers));
            }
            return members;
        }
        if (json.isArray()) {
            var elements = JsonNodeFactory.instance.arrayNode();
            for (int i = 0; i < json.size(); i++) {
                elements.add(held(json.get(i), pointer + "/" + i, numbers));
            }
            return elements;
        }
        if (!json.isNumber()) {
            return json;
        }
        BigDecimal number = json.decimalValue().stripTrailingZeros();
        if (number.scale() <= 0 && number.abs().compareTo(EXACT_MAX) <= 0) {
            return JsonNodeFactory.instance.numberNode(number.longValueExact());
        }
        numbers.put(pointer, number.unscaledValue() + "e" + -number.scale());
        return JsonNodeFactory.instance.nullNode();
    }

    /** RFC 8785, of a tree whose numbers are whole and small. */
    private static void write(JsonNode json, StringBuilder to) {
        if (json.isObject()) {
            Map<String, JsonNode> members = new TreeMap<>();
            json.fields().forEachRemaining(member -> members.put(member.getKey(), member.getValue()));
            String separator = "{";
            for (Map.Entry<String, JsonNode> member : members.entrySet()) {
                to.append(separator);
                quote(member.getKey(), to);
                to.append(':');
                write(member.getValue(), to);
                separator = ",";
            }
            to.append(members.isEmpty() ? "{}" : "}");
        } else if (json.isArray()) {
            to.append('[');
            for (int i = 0; i < json.size(); i++) {
                to.append(i == 0 ? "" : ",");
                write(json.get(i), to);
            }
            to.append(']');
        } else if (json.isTextual()) {
            quote(json.textValue(), to);
        } else {
            to.append(json.asText());
        }
    }

    private static void quote(String text, StringBuilder to) {
        to.append('"');
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            int named = "\b\t\n\f\r\"\\".indexOf(each);
            if (named >= 0) {
                to.append('\\').append("btnfr\"\\".charAt(named));
            } else if (each < ' ') {
                to.append("\\u00").append(HEX[each >> 4]).append(HEX[each & 15]);
            } else {
                to.append(each);
            }
        }
        to.append('"');
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            StringBuilder hex = new StringBuilder();
            for (byte each : digest) {
                hex.append(HEX[each >> 4 & 15]).append(HEX[each & 15]);
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
