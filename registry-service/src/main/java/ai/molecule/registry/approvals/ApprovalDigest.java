package ai.molecule.registry.approvals;

import ai.molecule.common.json.Json;
import ai.molecule.registry.canonical.Canonical;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What tells one thing that is asked for from every other: SHA-256, in 64 lower-case hexadecimal digits, of the RFC 8785 form of {@code {"action",
 * "context", "numbers", "reason"}} (docs/wire/registry.md, Approvals). The agent's side is {@code ApprovalDigest} of the agent-sdk.
 */
final class ApprovalDigest {

    private static final Pattern SHAPE = Pattern.compile("[0-9a-f]{64}");

    /** The canonical form has numbers as doubles, which hold whole ones up to here exactly. */
    private static final BigDecimal EXACT_MAX = BigDecimal.valueOf((1L << 53) - 1);

    private ApprovalDigest() {}

    /** @param context null for nothing */
    static String of(String action, String reason, @Nullable JsonNode context) {
        var numbers = Json.object();
        var asked = Json.object().put("action", action).put("reason", reason);
        asked.set("context", context == null ? Json.MAPPER.nullNode() : held(context, "", numbers));
        asked.set("numbers", numbers);
        return HexFormat.of()
                .formatHex(sha256(Canonical.bytes(asked).orElseThrow(() -> new IllegalStateException("no form"))));
    }

    static boolean isOne(String text) {
        return SHAPE.matcher(text).matches();
    }

    /** The same without the numbers that a double may not hold, which stand in {@code numbers}, exactly, by their JSON pointer. */
    private static JsonNode held(JsonNode json, String pointer, ObjectNode numbers) {
        if (json.isObject()) {
            var members = Json.object();
            json.properties()
                    .forEach(member -> members.set(
                            member.getKey(),
                            held(member.getValue(), pointer + "/" + escaped(member.getKey()), numbers)));
            return members;
        }
        if (json.isArray()) {
            var elements = Json.MAPPER.createArrayNode();
            for (int i = 0; i < json.size(); i++) {
                elements.add(held(json.get(i), pointer + "/" + i, numbers));
            }
            return elements;
        }
        if (!json.isNumber()) {
            return json;
        }
        var number = json.decimalValue().stripTrailingZeros();
        if (number.scale() <= 0 && number.abs().compareTo(EXACT_MAX) <= 0) {
            return Json.MAPPER.getNodeFactory().numberNode(number.longValueExact());
        }
        numbers.put(pointer, number.unscaledValue() + "e" + -number.scale());
        return Json.MAPPER.nullNode();
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    private static byte[] sha256(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
