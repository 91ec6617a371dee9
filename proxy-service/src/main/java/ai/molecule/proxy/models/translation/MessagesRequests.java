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
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Requests of Anthropic's messages. */
final class MessagesRequests {

    /** This protocol wants a limit, the others need none. */
    static final long OUTPUT_MAX = 16_384;

    private static final Set<String> TRANSLATED = Set.of(
            "model",
            "messages",
            "system",
            "tools",
            "tool_choice",
            "max_tokens",
            "temperature",
            "top_p",
            "stop_sequences",
            "output_config",
            "stream");
    private static final Set<String> LEFT_OUT = Set.of(
            "metadata", "thinking", "context_management", "service_tier", "inference_geo", "cache_control", "speed");
    private static final Set<String> OF_A_TOOL = Set.of("type", "name", "description", "input_schema", "strict");
    private static final Set<String> LEFT_OUT_OF_A_TOOL =
            Set.of("cache_control", "eager_input_streaming", "input_examples", "allowed_callers");
    private static final Pattern NOT_IN_AN_ID = Pattern.compile("[^A-Za-z0-9_-]");
    private static final Pattern DATA_URL = Pattern.compile("data:([a-z]+/[a-z0-9.+-]+);base64,");

    private MessagesRequests() {}

    static NeutralRequest read(ObjectNode body) {
        NotTranslated.beyond(body, "", TRANSLATED, LEFT_OUT);
        NotTranslated.beyond(body.path("output_config"), "output_config.", Set.of("format"), Set.of("effort"));
        List<String> system = new ArrayList<>();
        parts(body.path("system"), "system").forEach(part -> system.add(((Text) part).text()));
        var conversation = new Conversation();
        for (var message : RequestMembers.list(body.path("messages"), "messages")) {
            read(message, system, conversation);
        }
        var choice = body.path("tool_choice");
        return new NeutralRequest(
                body.path("model").asText(""),
                List.copyOf(system),
                conversation.turns(),
                tools(body.path("tools")),
                choice(choice),
                choice.path("disable_parallel_tool_use").asBoolean(),
                RequestMembers.count(body.path("max_tokens")),
                RequestMembers.sampling(body.path("temperature")),
                RequestMembers.sampling(body.path("top_p")),
                RequestMembers.texts(body.path("stop_sequences")),
                format(body.path("output_config").path("format")),
                body.path("stream").asBoolean(),
                true);
    }

    private static void read(JsonNode message, List<String> system, Conversation conversation) {
        String role = message.path("role").asText("");
        switch (role) {
            case "user" -> parts(message.path("content"), "user").forEach(part -> conversation.add(Role.USER, part));
            case "assistant" ->
                parts(message.path("content"), "assistant").forEach(part -> conversation.add(Role.ASSISTANT, part));
            case "system" -> parts(message.path("content"), "system").forEach(part -> system.add(((Text) part).text()));
            default -> throw NotTranslated.of("a message of the role " + role);
        }
    }

    /** What another model thought is for that model alone, so it is left out. */
    private static List<Part> parts(JsonNode content, String role) {
        List<Part> parts = new ArrayList<>();
        if (content.isTextual()) {
            parts.add(new Text(content.textValue()));
        }
        for (var block : content) {
            String type = block.path("type").asText("");
            switch (role + " " + type) {
                case "system text", "user text", "assistant text", "tool_result text" ->
                    parts.add(new Text(block.path("text").asText("")));
                case "user image", "tool_result image" -> parts.add(image(block.path("source")));
                case "user tool_result" ->
                    parts.add(new ToolResult(
                            RequestMembers.required(block, "tool_use_id", "a tool_result"),
                            parts(block.path("content"), "tool_result")));
                case "assistant tool_use" ->
                    parts.add(new ToolCall(
                            RequestMembers.required(block, "id", "a tool_use"),
                            RequestMembers.required(block, "name", "a tool_use"),
                            Json.text(block.path("input").isObject() ? block.path("input") : Json.object())));
                case "assistant thinking", "assistant redacted_thinking" -> {}
                default -> throw NotTranslated.of("content of the type " + type + " (" + role + ")");
            }
        }
        return List.copyOf(parts);
    }

    private static Image image(JsonNode source) {
        return switch (source.path("type").asText("")) {
            case "base64" ->
                new Image("data:" + source.path("media_type").asText("") + ";base64,"
                        + source.path("data").asText(""));
            case "url" -> RequestMembers.image(source.path("url"));
            default ->
                throw NotTranslated.of(
                        "an image from the source " + source.path("type").asText(""));
        };
    }

    private static List<Tool> tools(JsonNode list) {
        List<Tool> tools = new ArrayList<>();
        for (var tool : RequestMembers.list(list, "tools")) {
            if (!tool.path("type").asText("custom").equals("custom")) {
                throw NotTranslated.of("a tool of the type " + tool.path("type").asText(""));
            }
            NotTranslated.beyond(tool, "tools.", OF_A_TOOL, LEFT_OUT_OF_A_TOOL);
            tools.add(new Tool(
                    RequestMembers.required(tool, "name", "a tool"),
                    tool.path("description").textValue(),
                    objectOrNull(tool.path("input_schema")),
                    tool.path("strict").asBoolean()));
        }
        return List.copyOf(tools);
    }

    private static @Nullable Choice choice(JsonNode choice) {
        return switch (choice.path("type").asText("auto")) {
            case "auto" -> null;
            case "none" -> Choice.NONE;
            case "any" -> Choice.ANY;
            case "tool" -> new Choice(true, RequestMembers.required(choice, "name", "tool_choice"));
            default -> throw NotTranslated.of("this tool_choice");
        };
    }

    private static @Nullable Format format(JsonNode format) {
        if (!format.isObject()) {
            return null;
        }
        if (!format.path("type").asText("").equals("json_schema")) {
            throw NotTranslated.of(
                    "output_config.format of the type " + format.path("type").asText(""));
        }
        return new Format("answer", objectOrNull(format.path("schema")), true);
    }

    static ObjectNode write(NeutralRequest request, String unused) {
        var body = Json.object().put("model", request.model());
        body.put("max_tokens", request.outputMax() == null ? OUTPUT_MAX : request.outputMax());
        if (request.system().size() == 1) {
            body.put("system", request.system().getFirst());
        } else if (!request.system().isEmpty()) {
            var system = body.putArray("system");
            request.system().stream()
                    .filter(text -> !text.isEmpty())
                    .forEach(text -> system.addObject().put("type", "text").put("text", text));
        }
        var messages = body.putArray("messages");
        request.turns().forEach(turn -> write(turn, messages.addObject()));
        if (!request.tools().isEmpty()) {
            var tools = body.putArray("tools");
            request.tools().forEach(tool -> write(tool, tools.addObject()));
            writeChoice(request, body);
        }
        if (request.temperature() != null && request.temperature().compareTo(BigDecimal.ONE) > 0) {
            throw NotTranslated.of("temperature above 1");
        }
        RequestMembers.put(body, "temperature", request.temperature());
        RequestMembers.put(body, "top_p", request.topP());
        if (!request.stops().isEmpty()) {
            request.stops().forEach(body.putArray("stop_sequences")::add);
        }
        var format = request.format();
        if (format != null) {
            if (format.schema() == null) {
                throw NotTranslated.of("JSON without a schema (json_object)");
            }
            body.putObject("output_config")
                    .putObject("format")
                    .put("type", "json_schema")
                    .set("schema", format.schema());
        }
        if (request.streams()) {
            body.put("stream", true);
        }
        return body;
    }

    /** Results stand before all else that the user says. */
    private static void write(Turn turn, ObjectNode message) {
        boolean user = turn.role() == Role.USER;
        var content = message.put("role", user ? "user" : "assistant").putArray("content");
        Stream.concat(
                        turn.parts().stream().filter(ToolResult.class::isInstance),
                        turn.parts().stream().filter(part -> !(part instanceof ToolResult)))
                .forEach(part -> write(part, content));
    }

    private static void write(Part part, ArrayNode content) {
        switch (part) {
            case Text text -> content.addObject().put("type", "text").put("text", text.text());
            case Image image ->
                write(image, content.addObject().put("type", "image").putObject("source"));
            case ToolCall call ->
                MessagesAnswers.write(
                        call,
                        content.addObject(),
                        NotTranslated.object(call.arguments())
                                .orElseThrow(() -> NotTranslated.of(
                                        "a call of " + call.name() + " whose arguments are no JSON object")));
            case ToolResult result -> {
                var inner = content.addObject()
                        .put("type", "tool_result")
                        .put("tool_use_id", id(result.id()))
                        .putArray("content");
                result.content().stream()
                        .filter(one -> !(one instanceof Text text && text.text().isEmpty()))
                        .forEach(one -> write(one, inner));
            }
        }
    }

    /** Other providers give ids that this protocol does not take. */
    static String id(String id) {
        return NOT_IN_AN_ID.matcher(id).replaceAll("_");
    }

    private static void write(Image image, ObjectNode source) {
        var data = DATA_URL.matcher(image.url());
        if (data.lookingAt()) {
            source.put("type", "base64")
                    .put("media_type", data.group(1))
                    .put("data", image.url().substring(data.end()));
        } else if (image.url().startsWith("data:")) {
            throw NotTranslated.of("an image that is not base64");
        } else {
            source.put("type", "url").put("url", image.url());
        }
    }

    private static void write(Tool tool, ObjectNode out) {
        out.put("name", tool.name());
        if (tool.description() != null) {
            out.put("description", tool.description());
        }
        var schema = tool.schema();
        out.set("input_schema", schema == null ? Json.object().put("type", "object") : schema);
        if (tool.strict()) {
            out.put("strict", true);
        }
    }

    private static void writeChoice(NeutralRequest request, ObjectNode body) {
        var choice = request.choice();
        if (choice == null && !request.oneToolAtATime()) {
            return;
        }
        var out = body.putObject("tool_choice");
        if (choice == null) {
            out.put("type", "auto");
        } else if (choice.name() != null) {
            out.put("type", "tool").put("name", choice.name());
        } else {
            out.put("type", choice.calls() ? "any" : "none");
        }
        if (request.oneToolAtATime() && !Choice.NONE.equals(choice)) {
            out.put("disable_parallel_tool_use", true);
        }
    }
}
