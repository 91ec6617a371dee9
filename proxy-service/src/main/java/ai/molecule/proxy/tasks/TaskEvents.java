package ai.molecule.proxy.tasks;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.tasks.TaskNote.Begun;
import ai.molecule.proxy.tasks.TaskNote.Over;
import ai.molecule.proxy.tasks.TaskNote.Whole;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Tells begins and ends to the canvas. */
final class TaskEvents {

    private final Bus bus;

    TaskEvents(Bus bus) {
        this.bus = bus;
    }

    void tell(List<TaskNote> notes) {
        for (var note : notes) {
            switch (note) {
                case Begun begun -> started(begun).publishOn(bus);
                case Over over when over.waits() -> {} // that is no end
                case Over over -> ended(over).publishOn(bus);
                case Whole whole -> {
                    started(whole.begun()).publishOn(bus);
                    ended(whole.over()).publishOn(bus);
                }
            }
        }
    }

    private static LiveEvent started(Begun begun) {
        return event(
                "TASK_STARTED", begun.id(), begun.target(), begun.caller(), begun.at(), begun.preview(), "running");
    }

    private static LiveEvent ended(Over over) {
        return event(
                "TASK_ENDED",
                over.id(),
                over.target(),
                over.caller(),
                over.at(),
                TaskWords.preview(over.words()),
                over.status());
    }

    private static LiveEvent event(
            String type, UUID id, UUID target, @Nullable UUID caller, Instant at, String preview, String status) {
        var payload = Json.object()
                .put("task", id.toString())
                .put("caller_id", caller == null ? null : caller.toString())
                .put("target_id", target.toString())
                .put("preview", preview)
                .put("status", status);
        return new LiveEvent(type, target, at, payload);
    }
}
