package ai.molecule.proxy.models;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.util.List;

/**
 * A model behind all three protocols, in the shapes that the providers' documentation shows: asked with a tool it calls {@code look}
 * twice, in pieces; told the results it says them; else it says hello. Asked for {@code limit} it refuses, for {@code cut} it breaks
 * off. It is as strict as the real ones where that matters to who translates.
 */
final class FakeModels {

    static final String ARGUMENTS = "{\"at\":\"door\"}";
    static final String MORE = "{\"at\":\"roof\"}";

    private FakeModels() {}

    static void answer(FakeProvider.Asked asked, HttpServerResponse response) {
        var body = read(asked.body());
        String uri = asked.uri();
        if (uri.contains("?") || asked.headers().contains("x-stainless-lang")) {
            refuse(response, 400, "what is another protocol's came along");
        } else if (asked.body().contains(":\"limit\"")) {
            refuse(response, 429, "more slowly, please");
        } else if (uri.endsWith("/chat/completions")) {
            chat(body, response);
        } else if (uri.endsWith("/responses")) {
            responses(body, response);
        } else if (uri.endsWith("/messages")
                && "2023-06-01".equals(asked.headers().get("anthropic-version"))) {
            messages(body, response);
        } else {
            refuse(response, 404, "no such path: " + uri);
        }
    }

    private static JsonNode read(String body) {
        try {
            return Json.MAPPER.readTree(body);
        } catch (IOException noJson) {
            throw new IllegalArgumentException(body, noJson);
        }
    }

    private static void refuse(HttpServerResponse response, int status, String why) {
        response.setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end("{\"type\":\"error\",\"error\":{\"type\":\"some_error\",\"message\":\"" + why + "\"}}");
    }

    private static void whole(HttpServerResponse response, String body) {
        response.putHeader("Content-Type", "application/json").end(body);
    }

    static String quoted(String text) {
        return Json.text(text);
    }

    private static void chat(JsonNode asked, HttpServerResponse response) {
        var said = new StringBuilder();
        boolean calls = asked.path("tools").size() > 0;
        for (var message : asked.path("messages")) {
            if (message.path("role").asText().equals("tool")) {
                calls = false;
                said.append(message.path("content").asText()).append(';');
            }
        }
        String text = said.isEmpty() ? "hello" : said.toString();
        if (!asked.path("stream").asBoolean()) {
            String usage =
                    "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"total_tokens\":15,\"prompt_tokens_details\":{\"cached_tokens\":4}}";
            whole(
                    response,
                    "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
                            + (calls
                                    ? "null,\"tool_calls\":[" + chatCall("call_1", ARGUMENTS) + ","
                                            + chatCall("call_2", MORE) + "]"
                                    : quoted(text))
                            + "},\"finish_reason\":" + (calls ? "\"tool_calls\"" : "\"stop\"") + "}]," + usage + "}");
            return;
        }
        FakeProvider.events(response);
        String chunk =
                "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n";
        response.write(chunk.formatted("{\"role\":\"assistant\",\"content\":\"\"}", "null"));
        if (cuts(asked)) {
            response.write(chunk.formatted("{\"content\":\"hel\"}", "null")).onComplete(written -> response.reset());
            return;
        }
        if (calls) { // mixed, as no provider need keep them apart
            String piece = "{\"tool_calls\":[{\"index\":%d%s\"function\":{%s\"arguments\":%s}}]}";
            response.write(chunk.formatted(
                    piece.formatted(0, ",\"id\":\"call_1\",\"type\":\"function\",", "\"name\":\"look\",", "\"\""),
                    "null"));
            response.write(chunk.formatted(piece.formatted(0, ",", "", quoted(ARGUMENTS.substring(0, 3))), "null"));
            response.write(chunk.formatted(
                    piece.formatted(1, ",\"id\":\"call_2\",\"type\":\"function\",", "\"name\":\"look\",", "\"\""),
                    "null"));
            response.write(chunk.formatted(piece.formatted(1, ",", "", quoted(MORE.substring(0, 9))), "null"));
            response.write(chunk.formatted(piece.formatted(0, ",", "", quoted(ARGUMENTS.substring(3))), "null"));
            response.write(chunk.formatted(piece.formatted(1, ",", "", quoted(MORE.substring(9))), "null"));
        } else {
            response.write(chunk.formatted("{\"content\":" + quoted(text.substring(0, 2)) + "}", "null"));
            response.write(chunk.formatted("{\"content\":" + quoted(text.substring(2)) + "}", "null"));
        }
        response.write(chunk.formatted("{}", calls ? "\"tool_calls\"" : "\"stop\""));
        if (asked.path("stream_options").path("include_usage").asBoolean()) {
            response.write(
                    "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"total_tokens\":15,\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\n");
        }
        response.end("data: [DONE]\n\n");
    }

    private static String chatCall(String id, String arguments) {
        return "{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":%s}}"
                .formatted(id, quoted(arguments));
    }

    private static boolean cuts(JsonNode asked) {
        return asked.toString().contains(":\"cut\"");
    }

    private static void messages(JsonNode asked, HttpServerResponse response) {
        var said = new StringBuilder();
        boolean calls = asked.path("tools").size() > 0;
        String before = "assistant";
        for (var message : asked.path("messages")) {
            if (message.path("role").asText().equals(before)) {
                refuse(response, 400, "roles must alternate");
                return;
            }
            before = message.path("role").asText();
            for (var block : message.path("content")) {
                if (block.path("type").asText().equals("tool_result")) {
                    calls = false;
                    said.append(block.path("content").path(0).path("text").asText())
                            .append(';');
                }
            }
        }
        if (!asked.path("max_tokens").isInt()) {
            refuse(response, 400, "max_tokens: Field required");
            return;
        }
        String text = said.isEmpty() ? "hello" : said.toString();
        String usage =
                "{\"input_tokens\":6,\"cache_read_input_tokens\":4,\"cache_creation_input_tokens\":0,\"output_tokens\":%d}";
        String message =
                "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[%s],\"stop_reason\":%s,\"stop_sequence\":null,\"usage\":%s}";
        String call = "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"look\",\"input\":%s}";
        if (!asked.path("stream").asBoolean()) {
            String content = calls
                    ? call.formatted("toolu_1", ARGUMENTS) + "," + call.formatted("toolu_2", MORE)
                    : "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},{\"type\":\"text\",\"text\":"
                            + quoted(text) + "}";
            whole(response, message.formatted(content, calls ? "\"tool_use\"" : "\"end_turn\"", usage.formatted(5)));
            return;
        }
        FakeProvider.events(response);
        event(
                response,
                "{\"type\":\"message_start\",\"message\":" + message.formatted("", "null", usage.formatted(1)) + "}");
        event(response, "{\"type\":\"ping\"}");
        String begins = "{\"type\":\"content_block_start\",\"index\":%d,\"content_block\":%s}";
        String piece = "{\"type\":\"content_block_delta\",\"index\":%d,\"delta\":{\"type\":\"%s_delta\",\"%s\":%s}}";
        String ends = "{\"type\":\"content_block_stop\",\"index\":%d}";
        if (cuts(asked)) {
            event(response, begins.formatted(0, "{\"type\":\"text\",\"text\":\"\"}"));
            event(response, piece.formatted(0, "text", "text", "\"hel\""));
            response.write("\n").onComplete(written -> response.reset());
            return;
        }
        if (calls) {
            for (int nth = 0; nth < 2; nth++) {
                String arguments = nth == 0 ? ARGUMENTS : MORE;
                event(response, begins.formatted(nth, call.formatted("toolu_" + (nth + 1), "{}")));
                event(response, piece.formatted(nth, "input_json", "partial_json", "\"\""));
                event(response, piece.formatted(nth, "input_json", "partial_json", quoted(arguments.substring(0, 7))));
                event(response, piece.formatted(nth, "input_json", "partial_json", quoted(arguments.substring(7))));
                event(response, ends.formatted(nth));
            }
        } else {
            event(response, begins.formatted(0, "{\"type\":\"thinking\",\"thinking\":\"\"}"));
            event(response, piece.formatted(0, "thinking", "thinking", "\"hm\""));
            event(response, ends.formatted(0));
            event(response, begins.formatted(1, "{\"type\":\"text\",\"text\":\"\"}"));
            event(response, piece.formatted(1, "text", "text", quoted(text.substring(0, 3))));
            event(response, piece.formatted(1, "text", "text", quoted(text.substring(3))));
            event(response, ends.formatted(1));
        }
        event(
                response,
                "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"%s\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":5}}"
                        .formatted(calls ? "tool_use" : "end_turn"));
        event(response, "{\"type\":\"message_stop\"}");
        response.end();
    }

    private static void event(HttpServerResponse response, String data) {
        response.write("event: " + read(data).path("type").asText() + "\ndata: " + data + "\n\n");
    }

    private static void responses(JsonNode asked, HttpServerResponse response) {
        var said = new StringBuilder();
        boolean calls = asked.path("tools").size() > 0;
        for (var item : asked.path("input")) {
            if (item.path("type").asText().equals("function_call_output")) {
                calls = false;
                said.append(item.path("output").asText()).append(';');
            }
        }
        String text = said.isEmpty() ? "hello" : said.toString();
        String body =
                "{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1,\"status\":\"%s\",\"model\":\"m\",\"output\":[%s],\"usage\":%s}";
        String call =
                "{\"type\":\"function_call\",\"id\":\"fc_%d\",\"call_id\":\"call_%d\",\"name\":\"look\",\"arguments\":%s,\"status\":\"completed\"}";
        String message =
                "{\"type\":\"message\",\"id\":\"msg_1\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":%s,\"annotations\":[]}]}";
        String output = "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]},"
                + (calls
                        ? call.formatted(1, 1, quoted(ARGUMENTS)) + "," + call.formatted(2, 2, quoted(MORE))
                        : message.formatted(quoted(text)));
        String finished = body.formatted(
                "completed",
                output,
                "{\"input_tokens\":10,\"input_tokens_details\":{\"cached_tokens\":4},\"output_tokens\":5,\"output_tokens_details\":{\"reasoning_tokens\":2},\"total_tokens\":15}");
        if (!asked.path("stream").asBoolean()) {
            whole(response, finished);
            return;
        }
        FakeProvider.events(response);
        event(
                response,
                "{\"type\":\"response.created\",\"response\":" + body.formatted("in_progress", "", "null") + "}");
        if (calls) {
            for (int nth = 1; nth <= 2; nth++) {
                String arguments = nth == 1 ? ARGUMENTS : MORE;
                event(
                        response,
                        "{\"type\":\"response.output_item.added\",\"output_index\":%d,\"item\":%s}"
                                .formatted(nth, call.formatted(nth, nth, "\"\"")));
                for (String piece : List.of(arguments.substring(0, 4), arguments.substring(4))) {
                    event(
                            response,
                            "{\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"fc_%d\",\"output_index\":%d,\"delta\":%s}"
                                    .formatted(nth, nth, quoted(piece)));
                }
                event(
                        response,
                        "{\"type\":\"response.function_call_arguments.done\",\"item_id\":\"fc_%d\",\"output_index\":%d,\"arguments\":%s}"
                                .formatted(nth, nth, quoted(arguments)));
            }
        } else {
            for (String piece : List.of(text.substring(0, 3), text.substring(3))) {
                event(
                        response,
                        "{\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":1,\"content_index\":0,\"delta\":%s}"
                                .formatted(quoted(piece)));
            }
        }
        event(response, "{\"type\":\"response.completed\",\"response\":" + finished + "}");
        response.end();
    }
}
