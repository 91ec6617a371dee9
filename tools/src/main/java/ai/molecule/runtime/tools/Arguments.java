package ai.molecule.runtime.tools;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What a model passed to a tool, read leniently: a value of the wrong type counts as absent. */
public record Arguments(JsonNode json) {

    /** Stripped; empty when absent. */
    public String text(String key) {
        String text = json.path(key).textValue();
        return text == null ? "" : text.strip();
    }

    /** Brought into the bounds; {@code otherwise} when absent or no number. */
    public int number(String key, int otherwise, int min, int max) {
        JsonNode value = json.path(key);
        double number = value.isNumber() ? value.doubleValue() : otherwise;
        return (int) Math.clamp(number, min, max);
    }

    /** What else than text the list has is left out. */
    public List<String> texts(String key) {
        List<String> texts = new ArrayList<>();
        for (JsonNode item : json.path(key)) {
            if (item.isTextual()) {
                texts.add(item.textValue());
            }
        }
        return texts;
    }
}
