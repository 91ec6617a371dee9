package ai.molecule.proxy.webhooks;

import ai.molecule.common.ApiError;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Words with places that a delivery fills: {@code {{event}}}, {@code {{delivery}}}, {@code {{body}}} for all of it, and else members of the
 * body by their path, {@code {{pull_request.title}}}, {@code {{commits.0.message}}}. What is not there is empty.
 */
record Template(String text) {

    static final int MAX_CHARS = 4_000;

    private static final int VALUE_MAX_CHARS = 4_000;
    static final int BODY_MAX_CHARS = 16_000;
    /** Nobody reads more of a brief; a template of a few characters could otherwise ask for the body a thousand times. */
    static final int FILLED_MAX_CHARS = 16_000;

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

    /** At most {@link #FILLED_MAX_CHARS}; what comes after them is not looked up. */
    String fill(Delivery delivery) {
        return fill(delivery, UnaryOperator.identity());
    }

    /** The same. @param shown how each value is shown */
    String fill(Delivery delivery, UnaryOperator<String> shown) {
        var filled = new StringBuilder();
        var place = PLACE.matcher(text);
        int from = 0;
        while (filled.length() <= FILLED_MAX_CHARS && place.find()) {
            filled.append(text, from, place.start()).append(shown.apply(valueOf(place.group(1), delivery)));
            from = place.end();
        }
        return cut(filled.append(text, from, text.length()).toString(), FILLED_MAX_CHARS);
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
