package ai.molecule.runtime.program;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** A program that does what its messages say: {@code die}, {@code chatter}, {@code hang}, {@code fail}, {@code ask}, else it repeats them. */
final class ScriptedAgent {

    private static final ObjectMapper JSON = new ObjectMapper();

    private ScriptedAgent() {}

    public static void main(String[] args) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String canceled = "";
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode told = JSON.readTree(line);
            String task = told.path("task").asText();
            switch (told.path("type").asText()) {
                case "start" ->
                    say(
                            line("ready", "")
                                    .set(
                                            "skill",
                                            JSON.readTree(
                                                    "{\"id\":\"script\",\"name\":\"Script\",\"description\":\"Does as told.\"}")));
                case "cancel" -> canceled = task;
                case "message" -> {
                    String text = told.path("text").asText();
                    switch (text) {
                        case "die" -> System.exit(3);
                        case "chatter" -> System.out.println("Hello!");
                        case "hang" -> {}
                        case "fail" -> say(line("failed", task).put("reason", "out of ink"));
                        case "ask" -> say(line("ask", task).put("question", "which?"));
                        case "canceled" -> say(line("done", task).put("text", canceled));
                        default -> {
                            say(line("of a later version", task));
                            say(line("step", task).put("text", "repeating"));
                            say(line("tool", task)
                                    .put("name", "pen")
                                    .put("input", "{}")
                                    .put("output", "blue"));
                            say(line("chunk", task).put("text", text + " "));
                            say(line("done", task)
                                    .put("text", told.path("instructions").asText()));
                        }
                    }
                }
                case "stop" -> System.exit(0);
                default -> {}
            }
        }
    }

    private static ObjectNode line(String type, String task) {
        return JSON.createObjectNode().put("type", type).put("task", task);
    }

    private static void say(JsonNode line) {
        System.out.println(line);
    }
}
