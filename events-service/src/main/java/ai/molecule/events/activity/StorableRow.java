package ai.molecule.events.activity;

import ai.molecule.common.bus.events.AppendActivity.Row;
import org.jspecify.annotations.Nullable;

/** Makes a row one that PostgreSQL can hold. */
final class StorableRow {

    private StorableRow() {}

    /** PostgreSQL text has no NUL; a replacement character stands for each. */
    static Row of(Row row) {
        return copy(row, row.requestBody(), row.responseBody(), row.toolTrace());
    }

    static Row withoutBodies(Row row) {
        return copy(row, null, null, null);
    }

    private static Row copy(Row row, @Nullable String request, @Nullable String response, @Nullable String trace) {
        return new Row(
                row.id(),
                row.workspaceId(),
                withoutNul(row.activityType(), ""),
                row.sourceId(),
                row.targetId(),
                withoutNul(row.method()),
                withoutNul(row.summary()),
                request,
                response,
                trace,
                row.durationMs(),
                withoutNul(row.status(), "ok"),
                withoutNul(row.errorDetail()),
                withoutNul(row.idempotencyKey()),
                row.createdAt(),
                row.announce());
    }

    private static String withoutNul(@Nullable String text, String fallback) {
        return text == null ? fallback : text.replace('\0', '\uFFFD');
    }

    private static @Nullable String withoutNul(@Nullable String text) {
        return text == null ? null : text.replace('\0', '\uFFFD');
    }
}
