package ai.molecule.cli.replay;

import ai.molecule.cli.replay.ReplayDoor.Replayed;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.proxy.models.RecordedCalls;
import ai.molecule.proxy.models.SpokenAnswers.Spoken;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call as it was recorded and as another model answered it.
 *
 * @param asked the last words of the request
 * @param recordedMicros millionths of a dollar at today's prices; null when its usage or price is not known
 * @param replayedMicros the same
 */
record Comparison(
        RecordedCalls.Call recorded,
        Replayed replayed,
        String asked,
        @Nullable Long recordedMicros,
        @Nullable Long replayedMicros) {

    static Comparison of(RecordedCalls.Call recorded, Replayed replayed, Map<String, ModelPrice> prices) {
        String named = recorded.provider() + ":" + recorded.model();
        return new Comparison(
                recorded,
                replayed,
                asked(recorded.request()),
                cost(named, recorded.answer(), prices),
                cost(replayed.model(), replayed.answer(), prices));
    }

    String recordedModel() {
        return recorded.provider() + ":" + recorded.model();
    }

    /** Null as soon as one is not known. */
    static @Nullable Long sum(List<Comparison> all, Function<Comparison, @Nullable Long> cost) {
        return all.stream().map(cost).anyMatch(Objects::isNull)
                ? null
                : Long.valueOf(all.stream()
                        .map(cost)
                        .filter(Objects::nonNull)
                        .mapToLong(Long::longValue)
                        .sum());
    }

    static JsonObject toJson(String model, List<Comparison> all) {
        var calls = new JsonArray();
        all.forEach(one -> calls.add(new JsonObject()
                .put("operation", one.recorded.operation().name().toLowerCase(Locale.ROOT))
                .put("asked", one.asked)
                .put("recorded", toJson(one.recordedModel(), one.recorded.answer(), one.recordedMicros))
                .put("replayed", toJson(one.replayed.model(), one.replayed.answer(), one.replayedMicros))));
        return new JsonObject()
                .put("model", model)
                .put("recorded_cost_micros", sum(all, Comparison::recordedMicros))
                .put("replayed_cost_micros", sum(all, Comparison::replayedMicros))
                .put("calls", calls);
    }

    private static JsonObject toJson(String model, Spoken answer, @Nullable Long micros) {
        var usage = answer.usage();
        return new JsonObject()
                .put("model", model)
                .put("status", answer.status())
                .put("text", answer.text())
                .put("tools", new JsonArray(answer.tools()))
                .put("tokens_in", usage == null ? null : Long.valueOf(usage.prompt()))
                .put("tokens_out", usage == null ? null : Long.valueOf(usage.out()))
                .put("cost_micros", micros);
    }

    /** What a provider refused costs nothing. */
    private static @Nullable Long cost(String named, Spoken answer, Map<String, ModelPrice> prices) {
        if (answer.status() >= 400) {
            return 0L;
        }
        ModelUsage usage = answer.usage();
        String provider = named.substring(0, Math.max(0, named.indexOf(':')));
        String model = named.substring(named.indexOf(':') + 1);
        var price = prices.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(provider + ":")
                        && entry.getValue().covers(model))
                .map(Map.Entry::getValue)
                .findFirst();
        return usage == null || price.isEmpty()
                ? null
                : Long.valueOf(price.get().micros(usage));
    }

    private static String asked(String request) {
        try {
            var read = Json.MAPPER.readTree(request);
            String said = "";
            for (String list : List.of("messages", "input", "contents")) {
                for (var message : read.path(list)) {
                    String words = words(message.has("content") ? message.path("content") : message.path("parts"));
                    said = words.isBlank() ? said : words;
                }
            }
            return said.isEmpty() ? read.path("input").asText("") : said;
        } catch (IOException noJson) {
            return "";
        }
    }

    private static String words(JsonNode content) {
        if (content.isTextual()) {
            return content.textValue();
        }
        var words = new StringBuilder();
        content.forEach(part -> words.append(part.path("text").asText(words(part.path("content"))))
                .append(' '));
        return words.toString().strip();
    }
}
