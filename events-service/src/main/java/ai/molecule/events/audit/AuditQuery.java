package ai.molecule.events.audit;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.events.log.LogPage;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which rows a reader asks for, newest first; null of anything for all.
 *
 * @param verb a whole one, or what it begins with before its point
 * @param before only smaller positions
 * @param within only what was done at one of these
 */
record AuditQuery(
        @Nullable String actor,
        @Nullable String kind,
        @Nullable UUID workspaceId,
        @Nullable String verb,
        @Nullable String object,
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable Long before,
        @Nullable Set<UUID> within,
        int offset,
        int limit) {

    private static final int LIMIT_DEFAULT = 100;
    private static final int LIMIT_MAX = 500;
    private static final int YEARS_MAX = 10_000;
    private static final int OFFSET_MAX = 1_000_000;

    /** INVALID where a parameter is not what it should be. A limit over 500 counts as 500. */
    static AuditQuery of(Function<String, @Nullable String> parameters) {
        String workspace = given("workspace_id", parameters);
        return new AuditQuery(
                given("actor", parameters),
                given("kind", parameters),
                workspace == null
                        ? null
                        : Ids.find(workspace).orElseThrow(() -> ApiError.invalid("workspace_id must be a UUID")),
                given("verb", parameters),
                given("object", parameters),
                time("from", parameters),
                time("to", parameters),
                LogPage.number("before", 0, parameters),
                null,
                0,
                limit(parameters));
    }

    /** As clients ask that know {@code GET /workspaces/:id/audit} of elsewhere. */
    static AuditQuery ofWorkspace(UUID workspaceId, Function<String, @Nullable String> parameters) {
        Long offset = LogPage.number("offset", 0, parameters);
        return new AuditQuery(
                given("agent_id", parameters),
                null,
                workspaceId,
                null,
                null,
                time("from", parameters),
                time("to", parameters),
                LogPage.number("before", 0, parameters),
                null,
                offset == null ? 0 : (int) Math.min(offset, OFFSET_MAX),
                limit(parameters));
    }

    AuditQuery within(Set<UUID> shown) {
        return new AuditQuery(actor, kind, workspaceId, verb, object, from, to, before, shown, offset, limit);
    }

    /** Whether all of the record is asked for. */
    boolean isEverything() {
        return actor == null
                && kind == null
                && workspaceId == null
                && verb == null
                && object == null
                && from == null
                && to == null
                && before == null;
    }

    private static int limit(Function<String, @Nullable String> parameters) {
        Long limit = LogPage.number("limit", 1, parameters);
        return limit == null ? LIMIT_DEFAULT : (int) Math.min(limit, LIMIT_MAX);
    }

    private static @Nullable String given(String name, Function<String, @Nullable String> parameters) {
        String text = parameters.apply(name);
        return text == null || text.isEmpty() ? null : text;
    }

    private static @Nullable Instant time(String name, Function<String, @Nullable String> parameters) {
        String text = given(name, parameters);
        try {
            var time = text == null ? null : OffsetDateTime.parse(text);
            if (time == null || (time.getYear() > 0 && time.getYear() < YEARS_MAX)) { // what the database can compare
                return time == null ? null : time.toInstant();
            }
            throw new DateTimeException("no year of ours");
        } catch (DateTimeException noTime) {
            throw ApiError.invalid(name + " must be a time as RFC 3339 writes it");
        }
    }
}
