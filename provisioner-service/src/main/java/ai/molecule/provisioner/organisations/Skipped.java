package ai.molecule.provisioner.organisations;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A schedule or channel that is written down, but does not come to life in this version of the platform, and why.
 *
 * @param what the name of a schedule, the type of a channel
 */
record Skipped(String what, String reason) {

    static List<Skipped> schedules(JsonNode workspace) {
        List<Skipped> skipped = new ArrayList<>();
        workspace
                .path("schedules")
                .forEach(node -> skipped.add(new Skipped(node.path("name").asText(), reasonOf(node))));
        return List.copyOf(skipped);
    }

    static List<Skipped> channels(JsonNode workspace) {
        List<Skipped> skipped = new ArrayList<>();
        workspace
                .path("channels")
                .forEach(node -> skipped.add(
                        new Skipped(node.path("type").asText(), "channels are not connected by this version")));
        return List.copyOf(skipped);
    }

    /** As a member of the answer: {@code {"workspace", "name" or "type", "reason"}}. */
    Map<String, String> toJson(String workspace, String nameOfWhat) {
        return Map.of("workspace", workspace, nameOfWhat, what, "reason", reason);
    }

    private static String reasonOf(JsonNode schedule) {
        if (!Cron.isValid(schedule.path("cron_expr").asText())) {
            return "invalid cron expression";
        }
        if (!isZone(schedule.path("timezone").asText("UTC"))) {
            return "unknown timezone";
        }
        boolean says = schedule.has("prompt") || schedule.has("prompt_file");
        return says ? "schedules are not run by this version" : "neither prompt nor prompt_file";
    }

    private static boolean isZone(String name) {
        try {
            ZoneId.of(name);
            return true;
        } catch (DateTimeException unknown) {
            return false;
        }
    }
}
