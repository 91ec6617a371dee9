package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.PgOrgChart;
import ai.molecule.registry.lifecycle.PgRecordedEvents;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.postgres.BatchedReads;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.tokens.PgTokenStore;
import ai.molecule.registry.versions.PgChangedWith;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Workspaces, in {@code workspaces}, {@code heartbeats} and {@code canvas_layouts}. */
public final class PgWorkspaceStore {

    private static final String LOCK =
            "SELECT id FROM workspaces WHERE id = $1 AND status <> 'removed' FOR NO KEY UPDATE";

    /** Runs under the workspace's row lock. A runtime that is chosen here counts until the agent's config names another than it did till now. */
    private static final String UPDATE = """
            UPDATE workspaces
            SET name = $2, role = $3, tier = $4, parent_id = $5, runtime = $6, workspace_dir = $7, public_card = $8,
                config_runtime = CASE WHEN runtime = $6 THEN config_runtime ELSE coalesce(config_runtime, runtime) END,
                version = version + 1, updated_at = $9
            WHERE id = $1
            RETURNING version
            """;

    /** Runs under the workspace's row lock. */
    private static final String PLACE = """
            INSERT INTO canvas_layouts (workspace_id, x, y, collapsed) VALUES ($1, $2, $3, $4)
            ON CONFLICT (workspace_id) DO UPDATE
            SET x = excluded.x, y = excluded.y, collapsed = excluded.collapsed
            """;

    /** Whether $2 is $1 or below it; read under the org chart's lock. */
    private static final String WITHIN = """
            WITH RECURSIVE above AS (
                SELECT id, parent_id FROM workspaces WHERE id = $2
                UNION
                SELECT parent.id, parent.parent_id FROM workspaces AS parent JOIN above ON parent.id = above.parent_id
            )
            SELECT EXISTS (SELECT 1 FROM above WHERE id = $1)
            """;

    /** The parent, the children and the siblings, by which others find whom they want to talk to. */
    private static final String NAMED_NEAR = """
            SELECT EXISTS (
                SELECT 1 FROM workspaces
                WHERE id <> $1 AND status <> 'removed' AND %s
                    AND (id = $2 OR parent_id = $1 OR parent_id IS NOT DISTINCT FROM $2)
            )
            """.formatted(NameShapes.same("name", "$3::text"));

    /** Runs under the workspace's row lock. */
    private static final String ADMIT = """
            UPDATE workspaces SET admitted = true, version = version + 1, updated_at = $2
            WHERE id = $1 AND NOT admitted
            RETURNING version
            """;

    /** A root that was just inserted, whom nobody saw yet. */
    private static final String OF_TENANT = "UPDATE workspaces SET tenant = $2 WHERE id = ANY ($1)";

    /** Runs under the org chart's lock and the workspace's. */
    private static final String GIVE_TO_TENANT = """
            UPDATE workspaces SET tenant = $2, version = version + 1, updated_at = $3
            WHERE id = $1 AND tenant IS DISTINCT FROM $2
            RETURNING version
            """;

    private final Database database;
    private final PgWorkspaceQuota quotas;
    private final PgWorkspaceCreation creation;
    private final BatchedReads<UUID, Workspace> reads;

    /** @param context the event loop this is used on */
    public PgWorkspaceStore(Database database, PgWorkspaceQuota quotas, PgWorkspaceCreation creation, Context context) {
        this.database = database;
        this.quotas = quotas;
        this.creation = creation;
        this.reads = new BatchedReads<>(context, this::findAll);
    }

    /**
     * Stores a workspace with its event, its secrets and, where given, its first token; fails with INVALID when the parent does not exist
     * or
     * is removed, and then stores nothing.
     */
    public Future<Void> insert(
            NewWorkspace workspace, @Nullable String tenant, @Nullable String firstToken, Instant now) {
        return database.transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                .compose(locked -> creation.insert(transaction, List.of(workspace), now))
                .compose(inserted -> giveRoots(transaction, List.of(workspace), tenant))
                .compose(inserted -> firstToken == null
                        ? Future.succeededFuture()
                        : PgTokenStore.insert(transaction, workspace.id(), firstToken, now)));
    }

    /**
     * Stores all of them with their events, secrets and memories, or none. Where all the ids are taken already nothing changes
     * and those are returned; else fails with CONFLICT when some are, and with INVALID for a parent that neither exists nor
     * comes earlier.
     *
     * @param expanded whose team they are; null for nobody's
     * @param tenant whose the roots among them are; null for nobody's
     * @return what was there already; empty when they were stored
     */
    public Future<List<CreateWorkspaces.Entry>> insertAll(
            List<NewWorkspace> workspaces, @Nullable UUID expanded, @Nullable String tenant, Instant now) {
        return database.transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                .compose(locked -> creation.findPresent(transaction, workspaces))
                .compose(present -> {
                    if (present.size() == workspaces.size()) {
                        return Future.succeededFuture(present);
                    }
                    return present.isEmpty()
                            ? creation.insert(transaction, workspaces, now)
                                    .compose(created -> giveRoots(transaction, workspaces, tenant))
                                    .compose(created -> creation.tellExpanded(transaction, workspaces, expanded))
                                    .map(present)
                            : Future.failedFuture(ApiError.conflict("some of these workspaces exist already"));
                }));
    }

    private static Future<Void> giveRoots(Sql transaction, List<NewWorkspace> workspaces, @Nullable String tenant) {
        var roots = workspaces.stream()
                .filter(workspace -> workspace.parentId() == null)
                .map(NewWorkspace::id)
                .toArray(UUID[]::new);
        return tenant == null || roots.length == 0
                ? Future.succeededFuture()
                : transaction.run(OF_TENANT, Tuple.of(roots, tenant));
    }

    /** Fails as {@link #insertAll} would, and stores nothing: what was inserted is taken back with its transaction. */
    Future<Void> tryInsertAll(List<NewWorkspace> workspaces, Instant now) {
        return database.<Void>transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                        .compose(locked -> creation.insert(transaction, workspaces, now))
                        .compose(inserted -> Future.failedFuture(new TakenBack())))
                .recover(failure ->
                        failure instanceof TakenBack ? Future.succeededFuture() : Future.failedFuture(failure));
    }

    private static final class TakenBack extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TakenBack() {
            super("tried only", null, false, false);
        }
    }

    /** All that are not removed, oldest first. */
    public Future<List<Workspace>> list() {
        return database.list(PgWorkspaceRows.LIST, Tuple.tuple(), PgWorkspaceRows::toWorkspace);
    }

    /** Removed ones included. */
    public Future<Optional<Workspace>> find(UUID id) {
        return reads.read(List.of(id)).map(found -> Optional.ofNullable(found.get(id)));
    }

    /**
     * Applies a patch with its events; fails with NOT_FOUND for an unknown or removed workspace, INVALID for an unknown parent,
     * CONFLICT for one below the workspace itself, and INSUFFICIENT_STORAGE for one with too many children. Empty when nothing changed.
     *
     * @param byItself whether nobody but the workspace asks: FORBIDDEN then to get another parent, or the name of one near it
     * @param changedWith the credential that was shown
     */
    public Future<Optional<Changed>> patch(
            UUID id, WorkspacePatch patch, boolean byItself, String changedWith, Instant now) {
        Function<Sql, Future<Optional<Changed>>> work = transaction -> PgChangedWith.say(transaction, changedWith)
                .compose(said -> patch(transaction, id, patch, byItself, now));
        return patch.parent() == null ? database.transaction(work) : database.transactionInTurn(work);
    }

    /** The same as part of a greater change. */
    public Future<Optional<Changed>> patch(
            Sql transaction, UUID id, WorkspacePatch patch, boolean byItself, Instant now) {
        return lock(transaction, id, patch)
                .compose(locked -> find(transaction, id))
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(before -> (byItself ? checkItself(transaction, before, patch) : Future.<Void>succeededFuture())
                        .compose(allowed -> apply(transaction, before, patch, now)));
    }

    /** Empty when it was let in already; fails with NOT_FOUND for an unknown or removed workspace. */
    public Future<Optional<Changed>> admit(UUID id, Instant now) {
        return database.transaction(transaction -> lock(transaction, id)
                .compose(locked -> transaction.query(ADMIT, Tuple.of(id, PgValues.time(now))))
                .compose(admitted -> admitted.rowCount() == 0
                        ? Future.succeededFuture(Optional.empty())
                        : find(transaction, id)
                                .compose(found -> tellAdmitted(
                                        transaction,
                                        found.orElseThrow(),
                                        admitted.iterator().next().getLong("version")))));
    }

    /** Empty when it was before; fails with NOT_FOUND for an unknown or removed workspace, and with CONFLICT for one that is no root. */
    Future<Optional<Changed>> giveToTenant(UUID id, @Nullable String tenant, Instant now) {
        return database.transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                .compose(locked -> lock(transaction, id))
                .compose(locked -> find(transaction, id))
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(root -> {
                    if (root.parentId() != null) {
                        throw ApiError.conflict("only a root carries a tenant: those below have that of their root");
                    }
                    return transaction
                            .query(GIVE_TO_TENANT, Tuple.of(id, tenant, PgValues.time(now)))
                            .compose(given -> given.rowCount() == 0
                                    ? Future.succeededFuture(Optional.empty())
                                    : PgTokenStore.endWithoutRight(transaction, null)
                                            .compose(ended -> tellTenant(
                                                    transaction,
                                                    root,
                                                    tenant,
                                                    given.iterator().next().getLong("version"))));
                }));
    }

    private Future<Optional<Changed>> tellTenant(
            Sql transaction, Workspace root, @Nullable String tenant, long version) {
        var event = WorkspaceEvents.updated(Json.object().put("tenant", tenant), root);
        return PgRecordedEvents.append(transaction, root.id(), List.of(event))
                .map(Optional.of(new Changed(root.id(), version, root.status())));
    }

    private Future<Optional<Changed>> tellAdmitted(Sql transaction, Workspace workspace, long version) {
        var event = WorkspaceEvents.updated(Json.object().put("admitted", true), workspace);
        return PgRecordedEvents.append(transaction, workspace.id(), List.of(event))
                .map(Optional.of(new Changed(workspace.id(), version, workspace.status())));
    }

    private static Future<Void> checkItself(Sql transaction, Workspace before, WorkspacePatch patch) {
        if (patch.moves(before)) {
            return Future.failedFuture(ApiError.forbidden("only an administrator may move a workspace"));
        }
        String name = patch.name();
        return name == null || name.equals(before.name())
                ? Future.succeededFuture()
                : transaction
                        .query(NAMED_NEAR, Tuple.of(before.id(), before.parentId(), name))
                        .compose(rows -> rows.iterator().next().getBoolean(0)
                                ? Future.failedFuture(ApiError.forbidden(
                                        "only an administrator may give a workspace the name of one near it"))
                                : Future.succeededFuture());
    }

    Future<List<UUID>> unmetered() {
        return database.list(PgWorkspaceRows.UNMETERED, Tuple.tuple(), row -> row.getUUID("id"));
    }

    public Future<ListManaged.Page> listManaged(ListManaged request, Instant removedAfter) {
        return database.query(
                        PgWorkspaceRows.LIST_MANAGED,
                        Tuple.of(
                                request.id(),
                                request.after(),
                                Math.clamp(request.limit(), 1, 500),
                                PgValues.time(removedAfter)))
                .map(rows -> new ListManaged.Page(
                        rows.stream().map(PgWorkspaceRows::toManaged).toList()));
    }

    /** Without removed ones, parents before their children, these oldest first; cut off at {@code max}. */
    public Future<List<DescribeBranch.Member>> describeBranch(UUID id, int max) {
        return database.list(PgWorkspaceRows.BRANCH, Tuple.of(id, max), PgWorkspaceRows::toBranchMember);
    }

    public Future<Directory.Snapshot> directory(Instant removedAfter) {
        return database.list(PgWorkspaceRows.DIRECTORY, Tuple.of(PgValues.time(removedAfter)), PgWorkspaceRows::toEntry)
                .map(Directory.Snapshot::new);
    }

    private Future<Map<UUID, Workspace>> findAll(Collection<UUID> ids) {
        return database.map(
                PgWorkspaceRows.FIND_ALL,
                Tuple.of(ids.toArray(UUID[]::new)),
                row -> row.getUUID("id"),
                PgWorkspaceRows::toWorkspace);
    }

    private static Future<Optional<Workspace>> find(Sql client, UUID id) {
        return client.find(PgWorkspaceRows.FIND, Tuple.of(id), PgWorkspaceRows::toWorkspace);
    }

    private static Future<Void> lock(Sql transaction, UUID id, WorkspacePatch patch) {
        var chart = patch.parent() == null ? Future.<Void>succeededFuture() : PgOrgChart.lock(transaction);
        return chart.compose(locked -> lock(transaction, id));
    }

    private static Future<Void> lock(Sql transaction, UUID id) {
        return transaction
                .query(LOCK, Tuple.of(id))
                .compose(rows -> rows.size() > 0
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.notFound("workspace not found")));
    }

    private Future<Optional<Changed>> apply(Sql transaction, Workspace before, WorkspacePatch patch, Instant now) {
        var changes = patch.changesTo(before);
        if (changes.isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        var after = patched(before, patch);
        List<RecordedEvent> events = new ArrayList<>(List.of(WorkspaceEvents.updated(changes, after)));
        if (patch.moves(before)) {
            events.add(WorkspaceEvents.moved(before.parentId(), after));
        }
        return (patch.moves(before) ? checkMove(transaction, after) : Future.<Void>succeededFuture())
                .compose(allowed -> transaction.query(
                        UPDATE,
                        Tuple.of(after.id(), after.name(), after.role(), after.tier(), after.parentId())
                                .addString(after.runtime())
                                .addString(after.workspaceDir())
                                .addBoolean(after.publicCard())
                                .addValue(PgValues.time(now))))
                .compose(updated -> transaction
                        .query(
                                PLACE,
                                Tuple.of(
                                        after.id(),
                                        after.place().x(),
                                        after.place().y(),
                                        after.place().collapsed()))
                        .map(placed -> updated.iterator().next().getLong("version")))
                .compose(version -> (patch.moves(before)
                                ? PgTokenStore.endWithoutRight(transaction, null)
                                : Future.<Void>succeededFuture())
                        .compose(ended -> PgRecordedEvents.append(transaction, after.id(), events))
                        .map(Optional.of(new Changed(after.id(), version, after.status()))));
    }

    private Future<Void> checkMove(Sql transaction, Workspace after) {
        var parent = after.parentId();
        return PgOrgChart.requireParent(transaction, parent)
                .compose(known -> quotas.checkChildren(transaction, parent == null ? Map.of() : Map.of(parent, 1)))
                .compose(room -> transaction.query(WITHIN, Tuple.of(after.id(), after.parentId())))
                .compose(rows -> rows.iterator().next().getBoolean(0)
                        ? Future.failedFuture(ApiError.conflict("a workspace cannot be moved below itself"))
                        : Future.succeededFuture());
    }

    private static Workspace patched(Workspace before, WorkspacePatch patch) {
        var place = before.place();
        return new Workspace(
                before.id(),
                or(patch.name(), before.name()),
                patch.role() == null ? before.role() : patch.role().orElse(null),
                or(patch.tier(), before.tier()),
                before.status(),
                before.agentCard(),
                before.url(),
                patch.parent() == null ? before.parentId() : patch.parent().orElse(null),
                before.maxConcurrentTasks(),
                or(patch.runtime(), before.runtime()),
                patch.workspaceDir() == null
                        ? before.workspaceDir()
                        : patch.workspaceDir().orElse(null),
                before.budgetLimit(),
                before.lastOutboundAt(),
                before.admitted(),
                before.quarantined(),
                or(patch.publicCard(), before.publicCard()),
                before.ownLogin(),
                before.tenant(),
                new Workspace.Place(
                        or(patch.x(), place.x()), or(patch.y(), place.y()), or(patch.collapsed(), place.collapsed())),
                before.health());
    }

    private static <T> T or(@Nullable T wanted, T current) {
        return wanted == null ? current : wanted;
    }
}
