package ai.molecule.registry.lifecycle;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.loops.InTurn;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.Branch.Member;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lifecycles, in {@code workspaces} and what hangs on it. */
public record PgLifecycleStore(Database database) {

    /** @param interrupted those that worked on something */
    public record Applied(List<Changed> changed, List<UUID> interrupted) {}

    /** @param children the names of those that were directly below */
    public record Collapse(List<String> children, List<Changed> removed) {}

    /** The status afterwards, and whether it changed. */
    public record Witnessed(boolean applied, Changed state) {}

    private static final String BELOW = """
            WITH RECURSIVE below AS (
                SELECT id FROM workspaces WHERE id = $1
                UNION
                SELECT child.id FROM workspaces AS child JOIN below ON child.parent_id = below.id
            )
            """;

    /** Rows are locked in id order, under the org chart's lock: what the plan sees stays true until it is applied. */
    private static final String BRANCH = BELOW + """
            SELECT id, name, parent_id, tier, runtime, status, desired, incarnation, managed, quarantined,
                quarantined_by_organisation, paused_by_organisation
            FROM workspaces WHERE id IN (SELECT id FROM below)
            ORDER BY id FOR NO KEY UPDATE
            """;

    private static final String PAUSED_ANCESTOR = """
            WITH RECURSIVE above AS (
                SELECT parent_id, 1 AS distance FROM workspaces WHERE id = $1
                UNION
                SELECT parent.parent_id, distance + 1
                FROM workspaces AS parent JOIN above ON parent.id = above.parent_id
            )
            SELECT name FROM workspaces JOIN above ON workspaces.id = above.parent_id
            WHERE status = 'paused' ORDER BY distance LIMIT 1
            """;

    /** Runs under the row locks taken by reading the branch. */
    private static final String WANT = """
            WITH sleepers AS MATERIALIZED (
                SELECT workspace_id FROM heartbeats WHERE workspace_id = ANY ($1::uuid[]) AND asleep
                ORDER BY workspace_id FOR NO KEY UPDATE
            ), awake AS (
                UPDATE heartbeats SET asleep = false FROM sleepers WHERE heartbeats.workspace_id = sleepers.workspace_id
            )
            UPDATE workspaces AS workspace
            SET desired = wanted.desired, incarnation = wanted.incarnation, runtime = wanted.runtime,
                config_runtime = coalesce(wanted.config_runtime, workspace.config_runtime),
                paused_by_organisation = wanted.desired = 'paused' AND $7::boolean,
                waking_incarnation = CASE WHEN workspace.desired = 'sleeping' AND wanted.desired = 'running' THEN wanted.incarnation
                                          ELSE workspace.waking_incarnation END,
                url = CASE WHEN wanted.forget THEN '' ELSE workspace.url END,
                endpoint_url = CASE WHEN wanted.forget THEN NULL ELSE workspace.endpoint_url END,
                endpoint_internal_url = CASE WHEN wanted.forget THEN NULL ELSE workspace.endpoint_internal_url END
            FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::text[], $5::boolean[], $6::text[])
                AS wanted (id, desired, incarnation, runtime, forget, config_runtime)
            WHERE workspace.id = wanted.id
            """;

    /**
     * Runs under the row locks of the removed: no token can be issued to them meanwhile. Heartbeats are locked in id order, as their
     * batches lock them, before any is deleted. Of tokens only those are revoked that hold, or did within the last hour, since the
     * clock of the replica that judges them may be behind: each one revoked costs rows of the audit log and of the branch.
     */
    private static final String BURY = """
            WITH silenced AS MATERIALIZED (
                SELECT workspace_id FROM heartbeats WHERE workspace_id = ANY ($1) ORDER BY workspace_id FOR UPDATE
            ), buried AS (
                INSERT INTO token_tombstones (token_hash, workspace_id, removed_at)
                SELECT token_hash, workspace_id, $2::timestamptz FROM workspace_tokens WHERE workspace_id = ANY ($1)
                ON CONFLICT (token_hash) DO NOTHING
            ), revoked AS (
                UPDATE workspace_tokens SET revoked_at = $2 WHERE workspace_id = ANY ($1) AND revoked_at IS NULL
                    AND (expires_at IS NULL OR expires_at > $2::timestamptz - interval '1 hour')
            ), unplaced AS (
                DELETE FROM canvas_layouts WHERE workspace_id = ANY ($1)
            )
            DELETE FROM heartbeats USING silenced WHERE heartbeats.workspace_id = silenced.workspace_id
            """;

    /** Rows are locked in id order, as the batches of heartbeats lock them. The removed have none any more. */
    private static final String DROP_TASKS = """
            WITH busy AS MATERIALIZED (
                SELECT workspace_id FROM heartbeats
                WHERE workspace_id = ANY ($1) AND (current_task <> '' OR active_tasks <> 0)
                ORDER BY workspace_id FOR NO KEY UPDATE
            )
            UPDATE heartbeats AS heartbeat SET current_task = '', active_tasks = 0
            FROM busy WHERE heartbeat.workspace_id = busy.workspace_id
            RETURNING heartbeat.workspace_id
            """;

    /** Runs under the row locks taken by reading the branch: no token can be issued meanwhile, and none afterwards. As above, only of tokens that may hold. */
    private static final String QUARANTINE = """
            WITH revoked AS (
                UPDATE workspace_tokens SET revoked_at = $2 WHERE workspace_id = ANY ($1) AND revoked_at IS NULL
                    AND (expires_at IS NULL OR expires_at > $2::timestamptz - interval '1 hour')
            )
            UPDATE workspaces SET quarantined = true, quarantined_by_organisation = $3, version = version + 1, updated_at = $2
            WHERE id = ANY ($1)
            RETURNING id, version, status
            """;

    /** Runs under the same. */
    private static final String RELEASE_QUARANTINE = """
            UPDATE workspaces SET quarantined = false, quarantined_by_organisation = false, version = version + 1, updated_at = $2
            WHERE id = ANY ($1)
            RETURNING id, version, status
            """;

    /** What a branch quarantined, and the organisation quarantines too, is the organisation's from then on. */
    private static final String TAKE_OVER_QUARANTINE =
            "UPDATE workspaces SET quarantined_by_organisation = true WHERE id = ANY ($1) AND quarantined";

    /** Under the org chart's lock nobody can be put below the branch while it is deleted; dependent rows cascade. */
    private static final String PURGE =
            BELOW + "DELETE FROM workspaces WHERE id IN (SELECT id FROM below) RETURNING id";

    private static final String LOCK_ONE = """
            SELECT status, incarnation, version FROM workspaces WHERE id = $1 FOR NO KEY UPDATE
            """;

    /** Runs under the workspace's row lock. */
    private static final String KEEP_ERROR = "UPDATE heartbeats SET sample_error = $2 WHERE workspace_id = $1";

    /**
     * Reads a branch, has {@code plan} decide, and applies what it decided, all in one transaction during which the org chart
     * stands still. Those removed lose their tokens (kept as tombstones), layout and heartbeats; the others work on nothing.
     *
     * @param byOrganisation whose a pause is
     */
    public Future<Applied> change(
            UUID workspaceId, Function<Branch, List<Intent>> plan, boolean byOrganisation, Instant now) {
        return database.transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                .compose(locked -> readBranch(transaction, workspaceId))
                .map(plan)
                .compose(intents -> apply(transaction, intents, byOrganisation, now))
                .compose(changed ->
                        dropTasks(transaction, changed).map(interrupted -> new Applied(changed, interrupted))));
    }

    /**
     * Pauses, revokes every token and cuts off, all in such a transaction and told by WORKSPACE_QUARANTINED of each; those cut off
     * already stay as they are, but that the organisation takes over a branch's. Fails with NOT_FOUND for an unknown or removed workspace.
     */
    public Future<Applied> quarantine(UUID workspaceId, boolean branch, boolean byOrganisation, Instant now) {
        return database.transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                .compose(locked -> readBranch(transaction, workspaceId))
                .map(read -> read.meant(branch))
                .compose(meant -> apply(transaction, Plan.quarantine(meant), byOrganisation, now)
                        .compose(paused -> (byOrganisation
                                        ? transaction.run(TAKE_OVER_QUARANTINE, Tuple.of((Object) ids(meant.stream())))
                                        : Future.<Void>succeededFuture())
                                .map(paused))
                        .compose(paused -> dropTasks(transaction, paused))
                        .compose(interrupted -> mark(
                                        transaction,
                                        QUARANTINE,
                                        meant.stream().filter(member -> !member.quarantined()),
                                        "WORKSPACE_QUARANTINED",
                                        ids -> Tuple.of(ids, PgValues.time(now), byOrganisation))
                                .map(changed -> new Applied(changed, interrupted)))));
    }

    /**
     * Undoes the cutting off, told by WORKSPACE_RELEASED; fails with NOT_FOUND when nobody there is cut off, and for anybody but the
     * organisation with FORBIDDEN when the organisation did it.
     */
    public Future<List<Changed>> release(UUID workspaceId, boolean branch, boolean byOrganisation, Instant now) {
        return database.transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                .compose(locked -> readBranch(transaction, workspaceId))
                .map(read -> {
                    var meant = read.meant(branch);
                    if (!byOrganisation && meant.stream().anyMatch(Member::quarantinedByOrganisation)) {
                        throw ApiError.forbidden(Plan.QUARANTINED_BY_ORGANISATION);
                    }
                    return meant;
                })
                .compose(meant -> mark(
                        transaction,
                        RELEASE_QUARANTINE,
                        meant.stream().filter(Member::quarantined),
                        "WORKSPACE_RELEASED",
                        ids -> Tuple.of(ids, PgValues.time(now))))
                .compose(changed -> changed.isEmpty()
                        ? Future.failedFuture(ApiError.notFound("workspace not found or not quarantined"))
                        : Future.succeededFuture(changed)));
    }

    /** One statement for all of them, then an event of each. */
    private static Future<List<Changed>> mark(
            Sql transaction, String statement, Stream<Member> members, String event, Function<UUID[], Tuple> values) {
        var ids = ids(members);
        if (ids.length == 0) {
            return Future.succeededFuture(List.of());
        }
        return transaction
                .list(statement, values.apply(ids), row -> PgTransitions.toChanged(row.getUUID("id"), row))
                .compose(changed -> InTurn.each(
                                changed,
                                one -> PgTransitions.repeat(transaction, one.workspaceId(), RecordedEvent.of(event)))
                        .map(changed));
    }

    private static UUID[] ids(Stream<Member> members) {
        return members.map(Member::id).toArray(UUID[]::new);
    }

    /** Removes everything below a workspace in such a transaction, and tells so. Fails with NOT_FOUND for an unknown workspace. */
    public Future<Collapse> collapse(UUID workspaceId, boolean ofBranch, Instant now) {
        return database.transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                .compose(locked -> readBranch(transaction, workspaceId))
                .compose(branch -> apply(transaction, Plan.collapse(branch, ofBranch), !ofBranch, now)
                        .compose(removed -> PgTransitions.repeat(transaction, workspaceId, Plan.collapsed(branch))
                                .map(told -> new Collapse(
                                        branch.children().map(Member::name).toList(), removed)))));
    }

    /** Deletes a branch, removed members included, and every row that belongs to it; answers who that was. */
    public Future<List<UUID>> purge(UUID workspaceId) {
        return database.transactionInTurn(transaction -> PgOrgChart.lock(transaction)
                .compose(locked -> transaction.list(PURGE, Tuple.of(workspaceId), row -> row.getUUID(0))));
    }

    /** Fails with NOT_FOUND for an unknown workspace. */
    public Future<Witnessed> witness(Transition request, Trigger trigger, RecordedEvent event, Instant now) {
        return database.transaction(transaction -> transaction
                .find(LOCK_ONE, Tuple.of(request.workspaceId()), row -> row)
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(row -> witness(transaction, row, request, trigger, event, now)));
    }

    private static Future<Witnessed> witness(
            Sql transaction, Row row, Transition request, Trigger trigger, RecordedEvent event, Instant now) {
        var id = request.workspaceId();
        var status = WorkspaceStatus.ofWire(row.getString("status"));
        var current = new Witnessed(false, new Changed(id, row.getLong("version"), status));
        boolean repeated = status == request.to();
        if (repeated || row.getInteger("incarnation") != request.expectedIncarnation()) {
            return Future.succeededFuture(current);
        }
        return StatusChange.decide(id, status, trigger, event)
                .map(change -> PgTransitions.apply(transaction, List.of(change), now)
                        .compose(changed -> keepError(transaction, id, request.error())
                                .map(new Witnessed(true, changed.getFirst()))))
                .orElse(Future.succeededFuture(current));
    }

    private static Future<Void> keepError(Sql transaction, UUID id, @Nullable String error) {
        return error == null ? Future.succeededFuture() : transaction.run(KEEP_ERROR, Tuple.of(id, error));
    }

    private static Future<Branch> readBranch(Sql transaction, UUID id) {
        return transaction
                .list(BRANCH, Tuple.of(id), PgLifecycleStore::toMember)
                .compose(members -> transaction
                        .find(PAUSED_ANCESTOR, Tuple.of(id), row -> row.getString("name"))
                        .map(paused -> Branch.of(id, members, paused)));
    }

    private static Future<List<Changed>> apply(
            Sql transaction, List<Intent> intents, boolean byOrganisation, Instant now) {
        if (intents.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return transaction
                .query(WANT, wanted(intents).addBoolean(byOrganisation))
                .compose(done -> PgTransitions.apply(
                        transaction, intents.stream().map(Intent::change).toList(), now))
                .compose(changed -> bury(transaction, intents, now).map(changed));
    }

    private static Future<List<UUID>> dropTasks(Sql transaction, List<Changed> changed) {
        if (changed.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        var ids = changed.stream().map(Changed::workspaceId).toArray(UUID[]::new);
        return transaction.list(DROP_TASKS, Tuple.of(ids), row -> row.getUUID("workspace_id"));
    }

    private static Future<Void> bury(Sql transaction, List<Intent> intents, Instant now) {
        var removed = intents.stream()
                .filter(intent -> intent.desired() == Desired.REMOVED)
                .map(Intent::workspaceId)
                .toArray(UUID[]::new);
        return removed.length == 0
                ? Future.succeededFuture()
                : transaction.run(BURY, Tuple.of(removed, PgValues.time(now)));
    }

    private static Tuple wanted(List<Intent> intents) {
        return Tuple.of(
                intents.stream().map(Intent::workspaceId).toArray(UUID[]::new),
                Sql.column(intents, intent -> intent.desired().name().toLowerCase(Locale.ROOT), String[]::new),
                intents.stream().map(Intent::incarnation).toArray(Integer[]::new),
                intents.stream().map(Intent::runtime).toArray(String[]::new),
                intents.stream().map(Intent::forgetUrl).toArray(Boolean[]::new),
                intents.stream().map(Intent::configRuntime).toArray(String[]::new));
    }

    private static Member toMember(Row row) {
        return new Member(
                row.getUUID("id"),
                row.getString("name"),
                row.getUUID("parent_id"),
                row.getInteger("tier"),
                row.getString("runtime"),
                WorkspaceStatus.ofWire(row.getString("status")),
                Desired.valueOf(row.getString("desired").toUpperCase(Locale.ROOT)),
                row.getInteger("incarnation"),
                row.getBoolean("managed"),
                row.getBoolean("quarantined"),
                row.getBoolean("quarantined_by_organisation"),
                row.getBoolean("paused_by_organisation"));
    }
}
