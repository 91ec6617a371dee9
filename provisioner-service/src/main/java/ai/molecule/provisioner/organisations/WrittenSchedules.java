package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.proxy.SetSchedules;
import ai.molecule.common.json.Json;
import ai.molecule.common.schedules.ScheduleSpec;
import ai.molecule.provisioner.backend.FilePath;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The schedules of a workspace as they are written down. */
final class WrittenSchedules {

    private WrittenSchedules() {}

    /** Checked, each with the text of its {@code prompt_file}. Fails with INVALID, and says which one is wrong and why. */
    static List<ScheduleSpec> of(OrgWorkspace workspace, FilePath filesDir, Prompts prompts) {
        List<ScheduleSpec> schedules = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (var written : workspace.schedules()) {
            String name = written.path("name").asText("");
            try {
                var schedule = ScheduleSpec.of(whole(written, filesDir, prompts));
                if (schedule.name().isEmpty() || !names.add(schedule.name())) {
                    throw ApiError.invalid("a name is needed that no other one has");
                }
                schedules.add(schedule);
            } catch (ApiError wrong) {
                throw ApiError.invalid("schedule \"%s\": %s".formatted(name, wrong.publicMessage()));
            }
        }
        if (schedules.size() > SetSchedules.SCHEDULES_MAX) {
            throw ApiError.invalid("a workspace has at most %d schedules".formatted(SetSchedules.SCHEDULES_MAX));
        }
        return schedules;
    }

    private static JsonNode whole(JsonNode written, FilePath filesDir, Prompts prompts) {
        String file = written.path("prompt_file").asText("");
        if (file.isEmpty()
                || !written.path("prompt").asText("").isEmpty()
                || !(written instanceof ObjectNode members)) {
            return written;
        }
        String text = prompts.file(filesDir, file);
        return members.deepCopy().put("prompt", text == null ? "" : text);
    }

    static SetSchedules wish(UUID workspace, List<ScheduleSpec> schedules) {
        return new SetSchedules(
                workspace,
                schedules.stream().map(schedule -> Json.text(schedule.toJson())).toList());
    }
}
