package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.memories.PgMemoryStore;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.secrets.PgSecretStore;
import ai.molecule.registry.secrets.SetBy;
import ai.molecule.registry.workspaces.Workspace.Place;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Puts workspaces, one or a thousand, into the database with all that belongs to them. To be used within a transaction that holds
 * the org chart's lock: nobody else creates, moves or removes meanwhile, so parents stay and ids that are free stay free.
 */
public record PgWorkspaceCreation(PgSecretStore secrets, PgWorkspaceQuota quotas) {

    /** One statement for all; times ascend by a microsecond, so that they are listed in their order. */
    private static final String INSERT = """
            WITH wanted AS (
                SELECT *, $1::timestamptz + (nth - 1) * interval '1 microsecond' AS at
                FROM unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::integer[], $7::text[], $8::text[],
                        $9::text[], $10::boolean[], $11::text[], $12::text[], $13::text[], $14::bigint[],
                        $15::integer[], $16::text[], $17::text[], $18::text[], $19::float8[], $20::float8[],
                        $21::boolean[], $22::text[]) WITH ORDINALITY
                    AS workspace (id, name, role, parent_id, tier, runtime, model, template, managed, url,
                        workspace_dir, workspace_access, budget_limit, max_concurrent_tasks, awareness_namespace,
                        status, desired, x, y, heard, agent_card, nth)
            ), created AS (
                INSERT INTO workspaces (id, name, role, parent_id, tier, runtime, model, template, managed, url,
                    workspace_dir, workspace_access, budget_limit, max_concurrent_tasks, awareness_namespace,
                    status, desired, agent_card, budget_limit_by_organisation, status_since, created_at, updated_at)
                SELECT id, name, role, parent_id, tier, runtime, model, template, managed, url,
                    workspace_dir, workspace_access, budget_limit, max_concurrent_tasks, awareness_namespace,
                    status, desired, agent_card::jsonb, budget_limit IS NOT NULL, at, at, at
                FROM wanted
            ), placed AS (
                INSERT INTO canvas_layouts (workspace_id, x, y) SELECT id, x, y FROM wanted
            ), looked_up AS (
                INSERT INTO card_lookups (workspace_id) SELECT id FROM wanted WHERE url ~* '^https?://'
            )
            INSERT INTO heartbeats (workspace_id, last_heartbeat_at) SELECT id, CASE WHEN heard THEN moment() END FROM wanted
            """;

    private static final String PRESENT = "SELECT id, status FROM workspaces WHERE id = ANY ($1)";

    private static final String PARENTS = """
            SELECT id, coalesce(x, 0) AS x, coalesce(y, 0) AS y
            FROM workspaces LEFT JOIN canvas_layouts ON workspace_id = id
            WHERE id = ANY ($1) AND status <> 'removed'
            """;

    private static final String TELL = """
            WITH told AS (
                SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY
                    AS event (id, type, payload, nth)
                ORDER BY nth
            )
            SELECT count(log.append(type, id, payload::jsonb)) FROM told
            """;

    private static final Place CANVAS = new Place(0, 0, false);

    private record NewEvent(UUID id, RecordedEvent event) {}

    /** Those of the ids that are taken, in the order of the workspaces. */
    Future<List<CreateWorkspaces.Entry>> findPresent(Sql transaction, List<NewWorkspace> workspaces) {
        return transaction
                .map(
                        PRESENT,
                        Tuple.of(array(workspaces, NewWorkspace::id, UUID[]::new)),
                        row -> row.getUUID("id"),
                        row -> WorkspaceStatus.ofWire(row.getString("status")))
                .map(found -> workspaces.stream()
                        .filter(workspace -> found.containsKey(workspace.id()))
                        .map(workspace -> new CreateWorkspaces.Entry(
                                workspace.id(), Objects.requireNonNull(found.get(workspace.id()))))
                        .toList());
    }

    /** Fails with INVALID unless each parent exists or comes earlier in the list, and with INSUFFICIENT_STORAGE when there are too many. */
    public Future<Void> insert(Sql transaction, List<NewWorkspace> workspaces, Instant now) {
        return PgFreePlace.forRoots(transaction, workspaces).compose(placed -> insertPlaced(transaction, placed, now));
    }

    private Future<Void> insertPlaced(Sql transaction, List<NewWorkspace> workspaces, Instant now) {
        return places(transaction, workspaces)
                .compose(places -> checkRoom(transaction, workspaces).map(places))
                .compose(places -> transaction
                        .query(INSERT, insertion(workspaces, now))
                        .compose(inserted -> insertBelongings(transaction, workspaces, now))
                        .compose(inserted -> tell(transaction, workspaces, places)));
    }

    private Future<Void> checkRoom(Sql transaction, List<NewWorkspace> workspaces) {
        Map<UUID, Integer> below = new HashMap<>();
        for (var workspace : workspaces) {
            if (workspace.parentId() != null) {
                below.merge(workspace.parentId(), 1, Integer::sum);
            }
        }
        return quotas.checkRoom(transaction, workspaces.size())
                .compose(room -> quotas.checkChildren(transaction, below));
    }

    /** Where everybody stands, and the parents that exist already. */
    private static Future<Map<UUID, Place>> places(Sql transaction, List<NewWorkspace> workspaces) {
        Map<UUID, Place> own = HashMap.newHashMap(workspaces.size());
        List<UUID> elsewhere = new ArrayList<>();
        for (var workspace : workspaces) {
            var parentId = workspace.parentId();
            if (parentId != null && !own.containsKey(parentId)) {
                elsewhere.add(parentId);
            }
            own.put(workspace.id(), workspace.place());
        }
        return elsewhere.isEmpty()
                ? Future.succeededFuture(own)
                : transaction
                        .map(
                                PARENTS,
                                Tuple.of(elsewhere.toArray(UUID[]::new)),
                                row -> row.getUUID("id"),
                                row -> new Place(row.getDouble("x"), row.getDouble("y"), false))
                        .map(found -> {
                            if (!found.keySet().containsAll(elsewhere)) {
                                throw ApiError.invalid("parent workspace not found");
                            }
                            own.putAll(found);
                            return own;
                        });
    }

    private Future<Void> insertBelongings(Sql transaction, List<NewWorkspace> workspaces, Instant now) {
        Future<?> all = Future.succeededFuture();
        for (var workspace : workspaces) {
            if (!workspace.secrets().isEmpty()) {
                all = all.compose(before ->
                        secrets.insert(transaction, workspace.id(), workspace.secrets(), SetBy.ORGANISATION, now));
            }
            if (!workspace.initialMemories().isEmpty()) {
                all = all.compose(
                        before -> PgMemoryStore.insert(transaction, workspace.id(), workspace.initialMemories(), now));
            }
        }
        return all.mapEmpty();
    }

    private static Future<Void> tell(Sql transaction, List<NewWorkspace> workspaces, Map<UUID, Place> places) {
        List<NewEvent> told = new ArrayList<>();
        for (var workspace : workspaces) {
            var parentId = workspace.parentId();
            var parentPlace = parentId == null ? CANVAS : Objects.requireNonNull(places.get(parentId));
            for (var event : WorkspaceEvents.created(workspace, parentPlace)) {
                told.add(new NewEvent(workspace.id(), event));
            }
        }
        return tell(transaction, told);
    }

    /** After what tells of the workspaces themselves; nothing when they are nobody's team. */
    Future<Void> tellExpanded(Sql transaction, List<NewWorkspace> team, @Nullable UUID expanded) {
        return expanded == null
                ? Future.succeededFuture()
                : tell(transaction, List.of(new NewEvent(expanded, WorkspaceEvents.expanded(team))));
    }

    private static Future<Void> tell(Sql transaction, List<NewEvent> told) {
        return transaction.run(
                TELL,
                Tuple.of(
                        array(told, NewEvent::id, UUID[]::new),
                        array(told, one -> one.event().type(), String[]::new),
                        array(told, one -> Json.text(one.event().payload()), String[]::new)));
    }

    private static Tuple insertion(List<NewWorkspace> workspaces, Instant now) {
        return Tuple.of(
                PgValues.time(now),
                array(workspaces, NewWorkspace::id, UUID[]::new),
                array(workspaces, NewWorkspace::name, String[]::new),
                array(workspaces, NewWorkspace::role, String[]::new),
                array(workspaces, NewWorkspace::parentId, UUID[]::new),
                array(workspaces, NewWorkspace::tier, Integer[]::new),
                array(workspaces, NewWorkspace::runtime, String[]::new),
                array(workspaces, NewWorkspace::model, String[]::new),
                array(workspaces, NewWorkspace::template, String[]::new),
                array(workspaces, workspace -> !workspace.external(), Boolean[]::new),
                array(workspaces, NewWorkspace::url, String[]::new),
                array(workspaces, NewWorkspace::workspaceDir, String[]::new),
                array(workspaces, NewWorkspace::workspaceAccess, String[]::new),
                array(workspaces, NewWorkspace::budgetLimit, Long[]::new),
                array(workspaces, NewWorkspace::maxConcurrentTasks, Integer[]::new),
                array(workspaces, NewWorkspace::awarenessNamespace, String[]::new),
                array(workspaces, workspace -> workspace.initialStatus().wire(), String[]::new),
                array(
                        workspaces,
                        workspace -> workspace.initiallyDesired().name().toLowerCase(Locale.ROOT),
                        String[]::new),
                array(workspaces, workspace -> workspace.place().x(), Double[]::new),
                array(workspaces, workspace -> workspace.place().y(), Double[]::new),
                array(workspaces, workspace -> workspace.initialStatus() == WorkspaceStatus.ONLINE, Boolean[]::new),
                array(workspaces, NewWorkspace::agentCard, String[]::new));
    }

    private static <S, T> @Nullable T[] array(
            List<S> list, Function<S, @Nullable T> value, IntFunction<@Nullable T[]> array) {
        return list.stream().map(value).toArray(array);
    }
}
