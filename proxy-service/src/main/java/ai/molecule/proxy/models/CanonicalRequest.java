package ai.molecule.proxy.models;

import ai.molecule.common.json.Json;
import ai.molecule.common.text.CredentialShapes;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request to a model as a cassette knows it again: its members in the order of their names, secrets masked, and ids, times, ports and
 * paths, which are others at every run, as ordinals in the order in which they appear.
 */
final class CanonicalRequest {

    private static final ObjectMapper READABLE = new ObjectMapper()
            .configure(SerializationFeature.INDENT_OUTPUT, true)
            .configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

    /** Each is looked for in every answer; what comes after as many different ones stays as it is. */
    static final int ORDINALS_MAX = 10_000;

    private static final String MASK = "***";

    /** What looks like a credential, whatever it is for; first what cassettes that exist were masked by. */
    private static final Pattern SECRET = Pattern.compile(
            "sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|gsk_[A-Za-z0-9]{20,}|gh[opsu]_[A-Za-z0-9]{30,}|(?<=Bearer )[A-Za-z0-9._~+/-]{16,}=*|"
                    + CredentialShapes.REGEX);

    /** In this order: a time may hold what looks like a port, a path what looks like an id. */
    private static final Pattern CHANGING = Pattern.compile("""
            (?<time>\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d{2}:?\\d{2})?)?|\\b1[6-9]\\d{8}(?:\\d{3})?\\b)\
            |(?<id>\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b|\\b[0-9a-f]{24,64}\\b|\\b(?:toolu|call|msg|chatcmpl|resp|req|fc|rs|gen)[_-][A-Za-z0-9]{8,}\\b)\
            |(?<port>(?<=localhost:|127\\.0\\.0\\.1:|\\[::1]:)\\d{2,5}\\b)\
            |(?<path>(?<![\\w./:<-])/(?:tmp|home|root|work|workspace|workspaces|configs|plugins|var|opt|usr|private|Users|srv|data)(?:/[\\w.@+-]++)++/?)""");

    private final String text;
    private final Map<String, String> ordinalByValue;

    private CanonicalRequest(String text, Map<String, String> ordinalByValue) {
        this.text = text;
        this.ordinalByValue = ordinalByValue;
    }

    /** @param body what is no JSON is taken as the text it is */
    static CanonicalRequest of(byte[] body) {
        String readable;
        try {
            JsonNode json = Json.parse(body);
            readable = READABLE.writeValueAsString(READABLE.treeToValue(json, Object.class))
                    .replace("\r\n", "\n");
        } catch (JsonProcessingException noJson) {
            readable = new String(body, StandardCharsets.UTF_8);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        Map<String, String> ordinals = new LinkedHashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        var out = new StringBuilder();
        Matcher found = CHANGING.matcher(masked(readable));
        while (found.find()) {
            if (ordinals.size() >= ORDINALS_MAX && !ordinals.containsKey(found.group())) {
                continue;
            }
            String kind = kindOf(found);
            String ordinal = ordinals.computeIfAbsent(
                    found.group(), value -> "<" + kind + "-" + counts.merge(kind, 1, Integer::sum) + ">");
            found.appendReplacement(out, Matcher.quoteReplacement(ordinal));
        }
        return new CanonicalRequest(found.appendTail(out).toString(), ordinals);
    }

    static String masked(String text) {
        return SECRET.matcher(text).replaceAll(MASK);
    }

    /** Readable JSON, a member a line. */
    String text() {
        return text;
    }

    /** What a recording is found by. */
    String key(String provider, String operation) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            byte[] hash = digest.digest((provider + "\n" + operation + "\n" + text).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 12);
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new AssertionError(everyJdkHasIt);
        }
    }

    /** An answer to it as it is kept: what it took from the request is the ordinal. */
    String kept(String answer) {
        String kept = masked(answer);
        for (var ordinal : ordinalByValue.entrySet()) {
            kept = kept.replace(ordinal.getKey(), ordinal.getValue());
        }
        return kept;
    }

    /** The other way round, with what this request has in their place. */
    String told(String kept) {
        String told = kept;
        for (var ordinal : ordinalByValue.entrySet()) {
            told = told.replace(ordinal.getValue(), ordinal.getKey());
        }
        return told;
    }

    private static String kindOf(Matcher found) {
        for (String kind : new String[] {"time", "id", "port", "path"}) {
            if (found.group(kind) != null) {
                return kind;
            }
        }
        throw new IllegalStateException("a match of nothing");
    }
}
