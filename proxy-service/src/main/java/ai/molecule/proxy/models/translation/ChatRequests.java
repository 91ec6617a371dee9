package ai.molecule.proxy.models.translation;

import static ai.molecule.proxy.models.translation.RequestMembers.objectOrNull;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.models.translation.NeutralRequest.Choice;
import ai.molecule.proxy.models.translation.NeutralRequest.Conversation;
import ai.molecule.proxy.models.translation.NeutralRequest.Format;
import ai.molecule.proxy.models.translation.NeutralRequest.Image;
import ai.molecule.proxy.models.translation.NeutralRequest.Part;
import ai.molecule.proxy.models.translation.NeutralRequest.Role;
import ai.molecule.proxy.models.translation.NeutralRequest.Text;
import ai.molecule.proxy.models.translation.NeutralRequest.Tool;
import ai.molecule.proxy.models.translation.NeutralRequest.ToolCall;
import ai.molecule.proxy.models.translation.NeutralRequest.ToolResult;
import ai.molecule.proxy.models.translation.NeutralRequest.Turn;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests of OpenAI's chat completions. */
final class ChatRequests {

    private static final Set<String> TRANSLATED = Set.of(
            "model",
            "messages",
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "max_tokens",
            "max_completion_tokens",
            "temperature",
            "top_p",
            "stop",
            "response_format",
            "stream",
            "stream_options",
            "n");
    private static final Set<String> LEFT_OUT = Set.of(
            "user",
            "metadata",
            "store",
            "seed",
            "service_tier",
            "reasoning_effort",
            "verbosity",
            "prompt_cache_key",
            "prompt_cache_retention",
            "safety_identifier");
    private static final Set<String> OF_A_MESSAGE = Set.of("role", "content", "tool_calls", "tool_call_id", "refusal");
    private static final Set<String> LEFT_OUT_OF_A_MESSAGE =
            Set.of("name", "annotations", "reasoning", "reasoning_content", "reasoning_details", "cache_control", "id");

    private ChatRequests() {}

    static NeutralRequest read(ObjectNode body) {
        NotTranslated.beyond(body, "", TRANSLATED, LEFT_OUT);
        if (body.path("n").asInt(1) != 1) {
            throw NotTranslated.of("n other than 1");
        }
        List<String> system = new ArrayList<>();
        var conversation = new Conversation();
        for (var message : RequestMembers.list(body.path("messages"), "messages")) {
            read(message, system, conversation);
        }
        var limit = RequestMembers.count(body.path("max_completion_tokens"));
        return new NeutralRequest(
                body.path("model").asText(""),
                List.copyOf(system),
                conversation.turns(),
                tools(body.path("tools")),
                choice(body.path("tool_choice")),
                body.path("parallel_tool_calls").isBoolean()
                        && !body.path("parallel_tool_calls").booleanValue(),
                limit == null ? RequestMembers.count(body.path("max_tokens")) : limit,
                RequestMembers.sampling(body.path("temperature")),
                RequestMembers.sampling(body.path("top_p")),
                RequestMembers.texts(body.path("stop")),
                format(body.path("response_format")),
                body.path("stream").asBoolean(),
                body.path("stream_options").path("include_usage").asBoolean());
    }

    private static void read(JsonNode message, List<String> system, Conversation conversation) {
        NotTranslated.beyond(message, "messages.", OF_A_MESSAGE, LEFT_OUT_OF_A_MESSAGE);
        String role = message.path("role").asText("");
        switch (role) {
            case "system", "developer" ->
                texts(message.path("content")).forEach(part -> system.add(((Text) part).text()));
            case "user" -> parts(message.path("content")).forEach(part -> conversation.add(Role.USER, part));
            case "assistant" -> {
                texts(message.path("content")).forEach(part -> conversation.add(Role.ASSISTANT, part));
                conversation.add(
                        Role.ASSISTANT, new Text(message.path("refusal").asText("")));
                for (var call : message.path("tool_calls")) {
                    conversation.add(Role.ASSISTANT, call(call));
                }
            }
            case "tool" ->
                conversation.add(
                        Role.USER,
                        new ToolResult(
                                RequestMembers.required(message, "tool_call_id", "a message of a tool"),
                                texts(message.path("content"))));
            default -> throw NotTranslated.of("a message of the role " + role);
        }
    }

    private static ToolCall call(JsonNode call) {
        if (!call.path("type").asText("function").equals("function")) {
            throw NotTranslated.of(
                    "a call of a tool of the type " + call.path("type").asText(""));
        }
        return new ToolCall(
                RequestMembers.required(call, "id", "a call of a tool"),
                RequestMembers.required(call.path("function"), "name", "a call of a tool"),
                call.path("function").path("arguments").asText(""));
    }

    private static List<Part> texts(JsonNode content) {
        var parts = parts(content);
        for (var part : parts) {
            if (!(part instanceof Text)) {
                throw NotTranslated.of("an image in a message that is not the user's");
            }
        }
        return parts;
    }

    private static List<Part> parts(JsonNode content) {
        List<Part> parts = new ArrayList<>();
        if (content.isTextual()) {
            parts.add(new Text(content.textValue()));
        }
        for (var part : content) {
            String type = part.path("type").asText("");
            parts.add(
                    switch (type) {
                        case "text" -> new Text(part.path("text").asText(""));
                        case "refusal" -> new Text(part.path("refusal").asText(""));
                        case "image_url" ->
                            RequestMembers.image(part.path("image_url").path("url"));
                        default -> throw NotTranslated.of("content of the type " + type);
                    });
        }
        return List.copyOf(parts);
    }

    private static List<Tool> tools(JsonNode list) {
        List<Tool> tools = new ArrayList<>();
        for (var tool : RequestMembers.list(list, "tools")) {
            if (!tool.path("type").asText("").equals("function")) {
                throw NotTranslated.of("a tool of the type " + tool.path("type").asText(""));
            }
            var function = tool.path("function");
            tools.add(new Tool(
                    RequestMembers.required(function, "name", "a tool"),
                    function.path("description").textValue(),
                    objectOrNull(function.path("parameters")),
                    function.path("strict").asBoolean()));
        }
        return List.copyOf(tools);
    }

    private static @Nullable Choice choice(JsonNode choice) {
        return switch (choice.isTextual()
                ? choice.textValue()
                : choice.path("type").asText("auto")) {
            case "auto" -> null;
            case "none" -> Choice.NONE;
            case "required" -> Choice.ANY;
            case "function" ->
                new Choice(true, RequestMembers.required(choice.path("function"), "name", "tool_choice"));
            default -> throw NotTranslated.of("this tool_choice");
        };
    }

    private static @Nullable Format format(JsonNode format) {
        String type = format.path("type").asText("text");
        return switch (type) {
            case "text" -> null;
            case "json_object" -> new Format("answer", null, false);
            case "json_schema" -> {
                var schema = format.path("json_schema");
                yield new Format(
                        schema.path("name").asText("answer"),
                        objectOrNull(schema.path("schema")),
                        schema.path("strict").asBoolean());
            }
            default -> throw NotTranslated.of("response_format of the type " + type);
        };
    }

    static ObjectNode write(NeutralRequest request, String outputLimit) {
        var body = Json.object().put("model", request.model());
        var messages = body.putArray("messages");
        if (!request.system().isEmpty()) {
            content(
                    messages.addObject().put("role", "system"),
                    request.system().stream().<Part>map(Text::new).toList());
        }
        request.turns().forEach(turn -> write(turn, messages));
        if (!request.tools().isEmpty()) {
            var tools = body.putArray("tools");
            request.tools().forEach(tool -> write(tool, tools.addObject()));
            write(request.choice(), body);
            if (request.oneToolAtATime()) {
                body.put("parallel_tool_calls", false);
            }
        }
        if (request.outputMax() != null) {
            body.put(outputLimit, request.outputMax());
        }
        RequestMembers.put(body, "temperature", request.temperature());
        RequestMembers.put(body, "top_p", request.topP());
        if (!request.stops().isEmpty()) {
            request.stops().forEach(body.putArray("stop")::add);
        }
        write(request.format(), body);
        if (request.streams()) {
            body.put("stream", true); // whether its usage must be asked for, the provider's row says
        }
        return body;
    }

    private static void write(Turn turn, ArrayNode messages) {
        if (turn.role() == Role.ASSISTANT) {
            var message = messages.addObject().put("role", "assistant");
            var said = turn.parts().stream()
                    .filter(part -> !(part instanceof ToolCall))
                    .toList();
            if (said.isEmpty()) {
                message.putNull("content");
            } else {
                content(message, said);
            }
            var calls = turn.parts().stream()
                    .filter(ToolCall.class::isInstance)
                    .map(ToolCall.class::cast)
                    .toList();
            if (!calls.isEmpty()) {
                var list = message.putArray("tool_calls");
                calls.forEach(call -> ChatAnswers.write(call, list.addObject()));
            }
            return;
        }
        List<Part> said = new ArrayList<>();
        for (var part : turn.parts()) {
            if (part instanceof ToolResult result) {
                content(
                        messages.addObject().put("role", "tool").put("tool_call_id", result.id()),
                        texts(result.content(), "an image in the result of a tool"));
            } else {
                said.add(part);
            }
        }
        if (!said.isEmpty()) {
            content(messages.addObject().put("role", "user"), said);
        }
    }

    private static List<Part> texts(List<Part> parts, String what) {
        if (parts.stream().anyMatch(part -> !(part instanceof Text))) {
            throw NotTranslated.of(what);
        }
        return parts;
    }

    /** A text alone is written as such, because that is what every provider reads. */
    private static void content(ObjectNode message, List<Part> parts) {
        if (parts.isEmpty()) {
            message.put("content", "");
            return;
        }
        if (parts.size() == 1 && parts.getFirst() instanceof Text text) {
            message.put("content", text.text());
            return;
        }
        var content = message.putArray("content");
        for (var part : parts) {
            switch (part) {
                case Text text -> content.addObject().put("type", "text").put("text", text.text());
                case Image image ->
                    content.addObject()
                            .put("type", "image_url")
                            .putObject("image_url")
                            .put("url", image.url());
                case ToolCall call -> throw new IllegalStateException("a call among what is said: " + call.id());
                case ToolResult result ->
                    throw new IllegalStateException("a result among what is said: " + result.id());
            }
        }
    }

    private static void write(Tool tool, ObjectNode out) {
        var function = out.put("type", "function").putObject("function").put("name", tool.name());
        if (tool.description() != null) {
            function.put("description", tool.description());
        }
        if (tool.schema() != null) {
            function.set("parameters", tool.schema());
        }
        if (tool.strict()) {
            function.put("strict", true);
        }
    }

    private static void write(@Nullable Choice choice, ObjectNode body) {
        if (choice == null) {
            return;
        }
        if (choice.name() == null) {
            body.put("tool_choice", choice.calls() ? "required" : "none");
        } else {
            body.putObject("tool_choice")
                    .put("type", "function")
                    .putObject("function")
                    .put("name", choice.name());
        }
    }

    private static void write(@Nullable Format format, ObjectNode body) {
        if (format == null) {
            return;
        }
        var out = body.putObject("response_format");
        if (format.schema() == null) {
            out.put("type", "json_object");
            return;
        }
        var schema = out.put("type", "json_schema").putObject("json_schema").put("name", format.name());
        schema.set("schema", format.schema());
        if (format.strict()) {
            schema.put("strict", true);
        }
    }
}
