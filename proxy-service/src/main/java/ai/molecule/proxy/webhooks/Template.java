package ai.molecule.proxy.webhooks;

import ai.molecule.common.ApiError;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Words with places that a delivery fills: {@code {{event}}}, {@code {{delivery}}}, {@code {{body}}} for all of it, and else members of the
 * body by their path, {@code {{pull_request.title}}}, {@code {{commits.0.message}}}. What is not there is empty.
 */
record Template(String text) {

    static final int MAX_CHARS = 4_000;

    private static final int VALUE_MAX_CHARS = 4_000;
    private static final int BODY_MAX_CHARS = 16_000;
    private static final Pattern PLACE = Pattern.compile("\\{\\{\\s*([A-Za-z0-9_.\\-]{1,200})\\s*}}");

    static Template of(String member, String text) {
        if (text.isBlank() || text.length() > MAX_CHARS) {
            throw ApiError.invalid("%s must be 1 to %d characters".formatted(member, MAX_CHARS));
        }
        if (PLACE.matcher(text).replaceAll("").contains("{{")) {
            throw ApiError.invalid("%s has a place that is none: {{event}}, {{body}} or {{a.path}}".formatted(member));
        }
        return new Template(text);
    }

    String fill(Delivery delivery) {
        return PLACE.matcher(text).replaceAll(place -> Matcher.quoteReplacement(valueOf(place.group(1), delivery)));
    }

    private static String valueOf(String name, Delivery delivery) {
        return switch (name) {
            case "event" -> delivery.event();
            case "delivery" -> delivery.id();
            case "body" -> cut(delivery.text(), BODY_MAX_CHARS);
            default -> cut(member(name, delivery.body()), VALUE_MAX_CHARS);
        };
    }

    private static String member(String path, JsonNode body) {
        JsonNode found = body;
        for (String name : path.split("\\.", -1)) {
            found = found.isArray() && name.matches("\\d{1,6}") ? found.path(Integer.parseInt(name)) : found.path(name);
        }
        return found.isNull() || found.isMissingNode() ? "" : found.isValueNode() ? found.asText() : found.toString();
    }

    /** Never through the middle of a character, and without what no text of PostgreSQL holds. */
    static String cut(String text, int max) {
        String storable = text.replace('\0', '\ufffd');
        if (storable.length() <= max) {
            return storable;
        }
        int end = Character.isHighSurrogate(storable.charAt(max - 2)) ? max - 2 : max - 1;
        return storable.substring(0, end) + "…";
    }
}
