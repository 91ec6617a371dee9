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

/** Requests of OpenAI's responses. */
final class ResponsesRequests {

    private static final Set<String> TRANSLATED = Set.of(
            "model",
            "input",
            "instructions",
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "max_output_tokens",
            "temperature",
            "top_p",
            "text",
            "stream");
    private static final Set<String> LEFT_OUT = Set.of(
            "reasoning",
            "include",
            "store",
            "metadata",
            "client_metadata",
            "user",
            "service_tier",
            "prompt_cache_key",
            "prompt_cache_retention",
            "safety_identifier",
            "truncation",
            "stream_options",
            "max_tool_calls");

    private ResponsesRequests() {}

    static NeutralRequest read(ObjectNode body) {
        NotTranslated.beyond(body, "", TRANSLATED, LEFT_OUT);
        NotTranslated.beyond(body.path("text"), "text.", Set.of("format"), Set.of("verbosity"));
        List<String> system = new ArrayList<>();
        if (!body.path("instructions").asText("").isEmpty()) {
            system.add(body.path("instructions").asText(""));
        }
        var conversation = new Conversation();
        var input = body.path("input");
        if (input.isTextual()) {
            conversation.add(Role.USER, new Text(input.textValue()));
        } else {
            for (var item : RequestMembers.list(input, "input")) {
                item(item, system, conversation);
            }
        }
        return new NeutralRequest(
                body.path("model").asText(""),
                List.copyOf(system),
                conversation.turns(),
                tools(body.path("tools")),
                choice(body.path("tool_choice")),
                body.path("parallel_tool_calls").isBoolean()
                        && !body.path("parallel_tool_calls").booleanValue(),
                RequestMembers.count(body.path("max_output_tokens")),
                RequestMembers.sampling(body.path("temperature")),
                RequestMembers.sampling(body.path("top_p")),
                List.of(),
                format(body.path("text").path("format")),
                body.path("stream").asBoolean(),
                true);
    }

    private static void item(JsonNode item, List<String> system, Conversation conversation) {
        String type = item.path("type").asText("message");
        switch (type) {
            case "message" -> message(item, system, conversation);
            case "function_call" ->
                conversation.add(
                        Role.ASSISTANT,
                        new ToolCall(
                                RequestMembers.required(item, "call_id", "a function_call"),
                                RequestMembers.required(item, "name", "a function_call"),
                                item.path("arguments").asText("")));
            case "function_call_output" ->
                conversation.add(
                        Role.USER,
                        new ToolResult(
                                RequestMembers.required(item, "call_id", "a function_call_output"),
                                parts(item.path("output"))));
            case "reasoning" -> {} // for the model that thought it
            default -> throw NotTranslated.of("an item of the type " + type);
        }
    }

    private static void message(JsonNode item, List<String> system, Conversation conversation) {
        String role = item.path("role").asText("");
        for (var part : parts(item.path("content"))) {
            if (!(part instanceof Text text)) {
                if (!role.equals("user")) {
                    throw NotTranslated.of("an image in a message that is not the user's");
                }
                conversation.add(Role.USER, part);
                continue;
            }
            switch (role) {
                case "system", "developer" -> system.add(text.text());
                case "user" -> conversation.add(Role.USER, text);
                case "assistant" -> conversation.add(Role.ASSISTANT, text);
                default -> throw NotTranslated.of("a message of the role " + role);
            }
        }
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
                        case "input_text", "output_text", "text" ->
                            new Text(part.path("text").asText(""));
                        case "refusal" -> new Text(part.path("refusal").asText(""));
                        case "input_image" -> RequestMembers.image(part.path("image_url"));
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
            tools.add(new Tool(
                    RequestMembers.required(tool, "name", "a tool"),
                    tool.path("description").textValue(),
                    objectOrNull(tool.path("parameters")),
                    tool.path("strict").asBoolean()));
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
            case "function" -> new Choice(true, RequestMembers.required(choice, "name", "tool_choice"));
            default -> throw NotTranslated.of("this tool_choice");
        };
    }

    private static @Nullable Format format(JsonNode format) {
        String type = format.path("type").asText("text");
        return switch (type) {
            case "text" -> null;
            case "json_object" -> new Format("answer", null, false);
            case "json_schema" ->
                new Format(
                        format.path("name").asText("answer"),
                        objectOrNull(format.path("schema")),
                        format.path("strict").asBoolean());
            default -> throw NotTranslated.of("text.format of the type " + type);
        };
    }

    /** Asks the provider to keep nothing: who asked in another protocol could not come back to it. */
    static ObjectNode write(NeutralRequest request, String unused) {
        if (!request.stops().isEmpty()) {
            throw NotTranslated.of("a sequence that stops the output");
        }
        var body = Json.object().put("model", request.model()).put("store", false);
        if (!request.system().isEmpty()) {
            body.put("instructions", request.system().getFirst());
        }
        var input = body.putArray("input");
        request.system().stream().skip(1).forEach(text -> {
            var message = input.addObject().put("type", "message").put("role", "developer");
            write(new Text(text), "input_text", message.putArray("content"));
        });
        request.turns().forEach(turn -> write(turn, input));
        if (!request.tools().isEmpty()) {
            var tools = body.putArray("tools");
            request.tools().forEach(tool -> write(tool, tools.addObject()));
            write(request.choice(), body);
            if (request.oneToolAtATime()) {
                body.put("parallel_tool_calls", false);
            }
        }
        if (request.outputMax() != null) {
            body.put("max_output_tokens", request.outputMax());
        }
        RequestMembers.put(body, "temperature", request.temperature());
        RequestMembers.put(body, "top_p", request.topP());
        write(request.format(), body);
        if (request.streams()) {
            body.put("stream", true);
        }
        return body;
    }

    private static void write(Turn turn, ArrayNode input) {
        boolean user = turn.role() == Role.USER;
        ArrayNode content = null;
        for (var part : turn.parts()) {
            switch (part) {
                case ToolCall call -> {
                    content = null;
                    input.addObject()
                            .put("type", "function_call")
                            .put("call_id", call.id())
                            .put("name", call.name())
                            .put("arguments", call.arguments());
                }
                case ToolResult result -> {
                    content = null;
                    var item = input.addObject()
                            .put("type", "function_call_output")
                            .put("call_id", result.id());
                    if (result.content().size() == 1 && result.content().getFirst() instanceof Text text) {
                        item.put("output", text.text());
                    } else {
                        var output = item.putArray("output");
                        result.content().forEach(one -> write(one, "input_text", output));
                    }
                }
                case Text said -> content = write(said, user, content, input);
                case Image shown -> content = write(shown, user, content, input);
            }
        }
    }

    /** Into the message that is being written, or a new one. */
    private static ArrayNode write(Part part, boolean user, @Nullable ArrayNode open, ArrayNode input) {
        var content = open != null
                ? open
                : input.addObject()
                        .put("type", "message")
                        .put("role", user ? "user" : "assistant")
                        .putArray("content");
        write(part, user ? "input_text" : "output_text", content);
        return content;
    }

    private static void write(Part part, String textType, ArrayNode content) {
        switch (part) {
            case Text text -> content.addObject().put("type", textType).put("text", text.text());
            case Image image ->
                content.addObject()
                        .put("type", "input_image")
                        .put("detail", "auto")
                        .put("image_url", image.url());
            case ToolCall call -> throw new IllegalStateException("a call among what is said: " + call.id());
            case ToolResult result -> throw new IllegalStateException("a result among what is said: " + result.id());
        }
    }

    private static void write(Tool tool, ObjectNode out) {
        out.put("type", "function").put("name", tool.name());
        if (tool.description() != null) {
            out.put("description", tool.description());
        }
        var schema = tool.schema();
        out.set("parameters", schema == null ? Json.object().put("type", "object") : schema);
        out.put("strict", tool.strict());
    }

    private static void write(@Nullable Choice choice, ObjectNode body) {
        if (choice == null) {
            return;
        }
        if (choice.name() == null) {
            body.put("tool_choice", choice.calls() ? "required" : "none");
        } else {
            body.putObject("tool_choice").put("type", "function").put("name", choice.name());
        }
    }

    private static void write(@Nullable Format format, ObjectNode body) {
        if (format == null) {
            return;
        }
        var out = body.putObject("text").putObject("format");
        if (format.schema() == null) {
            out.put("type", "json_object");
            return;
        }
        out.put("type", "json_schema").put("name", format.name()).put("strict", format.strict());
        out.set("schema", format.schema());
    }
}
