package ai.molecule.proxy.streams;

import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.protocol.TaskState;
import ai.molecule.proxy.streams.StreamStore.Addition;
import ai.molecule.proxy.streams.StreamStore.Entry;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Streams as rows of {@link PgStreamStore}'s statements, there and back. */
final class PgStreamRows {

    private PgStreamRows() {}

    /** The parameters of {@code BEGIN}: one column per array. */
    static Tuple of(List<StreamHead> begun) {
        return Tuple.tuple()
                .addValue(column(begun, StreamHead::id, UUID[]::new))
                .addValue(column(begun, StreamHead::owner, UUID[]::new))
                .addValue(column(begun, head -> head.origin().workspaceId(), UUID[]::new))
                .addValue(column(begun, head -> head.origin().callerId(), UUID[]::new))
                .addValue(column(begun, head -> head.origin().protocol().version(), String[]::new))
                .addValue(column(begun, head -> storable(head.origin().method()), String[]::new))
                .addValue(column(begun, head -> head.origin().rpcId(), String[]::new))
                .addValue(column(begun, head -> Buffer.buffer(head.origin().request()), Buffer[]::new))
                .addValue(column(begun, head -> head.origin().durationMs(), Integer[]::new));
    }

    /** The parameters of {@code APPEND}: additions by stream, and the entries of all of them. */
    static Tuple of(UUID owner, List<Addition> additions) {
        List<UUID> streams = new ArrayList<>();
        List<Entry> entries = new ArrayList<>();
        for (var addition : additions) {
            addition.entries().forEach(entry -> {
                streams.add(addition.streamId());
                entries.add(entry);
            });
        }
        return Tuple.tuple()
                .addUUID(owner)
                .addValue(column(additions, Addition::streamId, UUID[]::new))
                .addValue(streams.toArray(UUID[]::new))
                .addValue(column(entries, Entry::n, Integer[]::new))
                .addValue(column(entries, Entry::body, Buffer[]::new))
                .addValue(column(additions, PgStreamRows::lastOf, Integer[]::new))
                .addValue(column(additions, PgStreamRows::bytesOf, Long[]::new))
                .addValue(column(
                        additions, add -> add.task() == null ? null : add.task().taskId(), String[]::new))
                .addValue(column(
                        additions, add -> add.task() == null ? null : add.task().contextId(), String[]::new))
                .addValue(column(additions, PgStreamRows::stateOf, String[]::new))
                .addValue(column(
                        additions, add -> add.task() == null ? null : add.task().status(), String[]::new))
                .addValue(column(additions, Addition::ended, Boolean[]::new))
                .addValue(column(additions, Addition::interruption, String[]::new));
    }

    private static int lastOf(Addition addition) {
        return addition.entries().isEmpty() ? 0 : addition.entries().getLast().n();
    }

    private static long bytesOf(Addition addition) {
        return addition.entries().stream()
                .mapToLong(entry -> entry.body().length())
                .sum();
    }

    private static @Nullable String stateOf(Addition addition) {
        var state = addition.task() == null ? null : addition.task().state();
        return state == null ? null : state.wire();
    }

    private static <T, V> @Nullable V[] column(
            List<T> rows, Function<T, ? extends @Nullable V> field, IntFunction<@Nullable V[]> array) {
        return rows.stream().map(field).toArray(array);
    }

    /** PostgreSQL's text has no NUL. */
    private static String storable(String text) {
        return text.replace('\0', '\ufffd');
    }

    static StreamHead head(Row row) {
        var origin = new StreamHead.Origin(
                row.getUUID("workspace_id"),
                row.getUUID("caller_id"),
                Protocol.of(row.getString("version")),
                row.getString("method"),
                row.getString("rpc_id"),
                row.getBuffer("request").getBytes(),
                row.getInteger("duration_ms"));
        return new StreamHead(
                row.getUUID("id"),
                row.getUUID("owner"),
                origin,
                task(row),
                row.getString("canceled"),
                List.of(row.getArrayOfIntegers("starts")),
                row.getInteger("first_n"),
                row.getInteger("last_n"),
                row.getBoolean("ended"));
    }

    private static @Nullable Sighting task(Row row) {
        String taskId = row.getString("task_id");
        String state = row.getString("state");
        return taskId == null
                ? null
                : new Sighting(
                        taskId,
                        row.getString("context_id"),
                        state == null ? null : TaskState.ofWire(state).orElse(null),
                        row.getString("status"));
    }
}
