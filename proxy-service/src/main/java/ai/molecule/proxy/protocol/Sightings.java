package ai.molecule.proxy.protocol;

import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.json.Span;
import ai.molecule.proxy.json.StorableJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds a task in a JSON-RPC answer by the places where one version of the protocol puts it, the first that is there. */
final class Sightings {

    private static final int KEY_MAX_CHARS = 256;
    private static final int STATUS_MAX_BYTES = 64 * 1024;

    /** Where one kind of answer has what is looked for, as slots of the shape. */
    private record Place(int taskId, int contextId, int status, int state) {}

    private final Function<TaskState, String> wire;
    private final Shape shape;
    private final List<Place> places = new ArrayList<>();

    /**
     * @param wire how the version writes a state
     * @param taskIds paths of the id; beside it {@code contextId}, {@code status} and {@code status.state} are looked for
     */
    Sightings(Function<TaskState, String> wire, String... taskIds) {
        this.wire = wire;
        List<String> paths = new ArrayList<>();
        for (String taskId : taskIds) {
            String object = taskId.substring(0, taskId.lastIndexOf('.') + 1);
            places.add(new Place(
                    slot(paths, taskId),
                    slot(paths, object + "contextId"),
                    slot(paths, object + "status"),
                    slot(paths, object + "status.state")));
        }
        this.shape = Shape.of(paths.toArray(String[]::new));
    }

    Optional<Sighting> in(byte[] json) {
        var found = JsonScanner.scan(json, shape).orElse(null);
        if (found == null) {
            return Optional.empty();
        }
        for (var place : places) {
            String taskId = key(found.at(place.taskId), json);
            if (taskId != null) {
                var state = state(found.at(place.state), json);
                String status = state == null ? null : status(found.at(place.status), json, state);
                return Optional.of(new Sighting(taskId, key(found.at(place.contextId), json), state, status));
            }
        }
        return Optional.empty();
    }

    private static int slot(List<String> paths, String path) {
        if (!paths.contains(path)) {
            paths.add(path);
        }
        return paths.indexOf(path);
    }

    private static @Nullable String key(@Nullable Span span, byte[] json) {
        if (span == null || !span.startsWith(json, '"')) {
            return null;
        }
        String text = span.stringIn(json).replace('\0', '\ufffd');
        return text.isEmpty() || text.length() > KEY_MAX_CHARS ? null : text;
    }

    private static @Nullable TaskState state(@Nullable Span span, byte[] json) {
        return span == null || !span.startsWith(json, '"')
                ? null
                : TaskState.ofWire(span.stringIn(json)).orElse(null);
    }

    private String status(@Nullable Span span, byte[] json, TaskState state) {
        if (span == null || span.end() - span.start() > STATUS_MAX_BYTES) {
            return "{\"state\":\"" + wire.apply(state) + "\"}";
        }
        return StorableJson.of(span.in(json).getBytes(StandardCharsets.UTF_8));
    }
}
