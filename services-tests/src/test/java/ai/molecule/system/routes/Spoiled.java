package ai.molecule.system.routes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What can be wrong with bodies, ids and parameters. */
final class Spoiled {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int DEEP = 1_500;

    /** Texts of JSON values that few members want. */
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "-1",
            "1e400",
            "1e5000",
            "{\"n\":1e5000}",
            "99999999999999999999999999",
            "9223372036854775807",
            "\"\"",
            "\"a\\u0000b\"",
            "\"\\ud800\"",
            "\"../../etc/passwd\"",
            "\"http://[::1\"",
            "\"not-a-uuid\"",
            "\"" + "x".repeat(3_000) + "\"",
            "[]",
            "[[],{}]",
            "{}",
            "{\"a\\u0000\":1}",
            "{\"x\":{\"y\":[1e400,\"\\ud800\"]}}",
            "[".repeat(DEEP) + "]".repeat(DEEP));

    /** Longer than a JSON reader's default for names. */
    private static final String LONG_NAME = "{\"" + "k".repeat(60_000) + "\":1}";

    /** Instead of an id or a name in a path. */
    static final List<String> SEGMENTS = List.of(
            "nonsense",
            "1-1-1-1-1",
            "00000000-0000-0000-0000-000000000000",
            "%00",
            "a%00b",
            "%",
            "%2",
            "%zz",
            "%ff%fe",
            "%c0%ae",
            "%ed%a0%80",
            "%2e%2e",
            "%2F",
            "..%2f..%2fetc",
            "%0d%0aX-Injected:%201",
            "'%20OR%201=1--",
            "*",
            "%F0%9F%92%A9",
            "x".repeat(2_000));

    /** Instead of the value of a query parameter. */
    static final List<String> PARAMETERS = List.of(
            "",
            "-1",
            "0",
            "abc",
            "1e400",
            "99999999999999999999",
            "2147483648",
            "%00",
            "%",
            "%zz",
            "%ff",
            "%ed%a0%80",
            "'",
            "%25%5f",
            "%0d%0a",
            "x".repeat(2_000));

    private Spoiled() {}

    /** Bodies that are no JSON object at all. */
    static List<byte[]> wholes() {
        var wholes = new ArrayList<byte[]>();
        for (String text : List.of(
                "null",
                "true",
                "7",
                "1e400",
                "\"text\"",
                "[]",
                "[{}]",
                "{",
                "}",
                "{\"name\":",
                "{\"name\":\"x",
                "{name:1}",
                "{'name':1}",
                "{\"name\":NaN}",
                "{\"name\":01}",
                "{\"name\":\"\\x\"}",
                "{\"name\":\"\\ud8\"}",
                "{\"name\":\"tab\there\"}",
                "// comment\n{}",
                "name=x&id=1",
                "<xml/>",
                "\u0000",
                " ",
                "[".repeat(DEEP),
                "{\"a\":".repeat(DEEP) + "1" + "}".repeat(DEEP))) {
            wholes.add(text.getBytes(StandardCharsets.UTF_8));
        }
        wholes.add(bytes("{\"name\":\"", 0xff, 0xfe, "\"}"));
        wholes.add(bytes("{\"name\":\"", 0xc0, 0x80, "\"}"));
        wholes.add(bytes("{\"name\":\"", 0xed, 0xa0, 0x80, "\"}"));
        wholes.add(bytes("", 0xfe, 0xff, ""));
        return wholes;
    }

    /** The body with each member, at every depth, replaced by each strange value, said twice, or renamed. */
    static List<String> members(String body) {
        var all = new ArrayList<String>();
        try {
            var root = (ObjectNode) JSON.readTree(body);
            spoil(root, root, all);
            for (var member : root.properties()) {
                String name = JSON.writeValueAsString(member.getKey());
                all.add(body.substring(0, body.length() - 1) + "," + name + ":{\"twice\":[true]}}");
                all.add("{" + name + ":[]," + body.substring(1));
            }
        } catch (JsonProcessingException notInTheTable) {
            throw new IllegalArgumentException(body, notInTheTable);
        }
        return all;
    }

    private static void spoil(JsonNode root, JsonNode node, List<String> into) throws JsonProcessingException {
        if (node instanceof ObjectNode object) {
            for (String name : List.copyOf(names(object))) {
                var original = object.get(name);
                for (String value : VALUES) {
                    object.set(name, JsonNodeFactory.instance.rawValueNode(new RawValue(value)));
                    into.add(JSON.writeValueAsString(root));
                }
                object.set(name, original);
                if (original.isObject()) {
                    object.set(name, JsonNodeFactory.instance.rawValueNode(new RawValue(LONG_NAME)));
                    into.add(JSON.writeValueAsString(root));
                    object.set(name, original);
                }
                spoil(root, original, into);
            }
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                var original = array.get(i);
                for (String value : VALUES) {
                    array.set(i, JsonNodeFactory.instance.rawValueNode(new RawValue(value)));
                    into.add(JSON.writeValueAsString(root));
                }
                array.set(i, original);
                spoil(root, original, into);
            }
        }
    }

    private static List<String> names(ObjectNode object) {
        var names = new ArrayList<String>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static byte[] bytes(Object... parts) {
        var out = new ByteArrayOutputStream();
        for (Object part : parts) {
            if (part instanceof Integer one) {
                out.write(one);
            } else {
                out.writeBytes(part.toString().getBytes(StandardCharsets.UTF_8));
            }
        }
        return out.toByteArray();
    }
}
