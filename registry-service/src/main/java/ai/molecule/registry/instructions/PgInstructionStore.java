package ai.molecule.registry.instructions;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import ai.molecule.registry.instructions.HouseRules.Rule;
import ai.molecule.registry.instructions.Instruction.Words;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The table {@code instructions} (db/registry/V120__instructions.sql). Every change is told in its transaction. */
public record PgInstructionStore(Database database) {

    /** Of all together, and of one scope and target. */
    private static final int MAX = 1_000;

    static final int OF_TARGET_MAX = 50;

    /** One is added at a time, so that both counts hold. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(66532870)";

    private static final String COUNTS = """
            SELECT count(*)::integer AS total,
                (count(*) FILTER (WHERE scope = $1 AND scope_target IS NOT DISTINCT FROM $2))::integer AS of_target,
                $2::uuid IS NULL OR EXISTS (SELECT 1 FROM workspaces WHERE id = $2 AND status <> 'removed') AS there
            FROM instructions
            """;

    private static final String INSERT = """
            INSERT INTO instructions (id, scope, scope_target, title, content, priority, enabled, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
            """;

    private static final String FIND = "SELECT * FROM instructions WHERE id = $1 FOR UPDATE";

    private static final String CHANGE = """
            UPDATE instructions SET title = $2, content = $3, priority = $4, enabled = $5, updated_at = $6 WHERE id = $1
            """;

    private static final String DELETE = "DELETE FROM instructions WHERE id = $1 RETURNING *";

    /** The workspace and those above it, by how far they are. UNION ends a circle, which cannot be. */
    private static final String ABOVE = """
            WITH RECURSIVE above (id, parent_id, far) AS (
                SELECT id, parent_id, 0 FROM workspaces WHERE id = $1
                UNION
                SELECT w.id, w.parent_id, above.far + 1 FROM workspaces AS w JOIN above ON w.id = above.parent_id WHERE above.far < 1000
            )
            """;

    /** In the order in which an agent reads them. */
    private static final String ORDER =
            " ORDER BY array_position(ARRAY['global', 'team', 'workspace'], scope), far DESC NULLS FIRST, priority DESC, created_at, i.id";

    private static final String HOLDING = " FROM instructions AS i LEFT JOIN above ON above.id = i.scope_target"
            + " WHERE (scope = 'global' OR (scope = 'team' AND above.id IS NOT NULL) OR (scope = 'workspace' AND i.scope_target = $1))";

    private static final String HOLDING_FOR = ABOVE + "SELECT scope, title, content" + HOLDING + " AND enabled" + ORDER;

    private static final String EXISTS = "SELECT 1 FROM workspaces WHERE id = $1";

    /** For everybody, or for a workspace of these branches or below; any where they are null. */
    private static final String SHOWN = """
             AND ($%1$d::uuid[] IS NULL OR scope = 'global' OR scope_target IN (
                WITH RECURSIVE within (id) AS (
                    SELECT unnest($%1$d::uuid[])
                    UNION
                    SELECT w.id FROM workspaces AS w JOIN within ON w.parent_id = within.id
                )
                SELECT id FROM within))
            """;

    private static final String LIST_OF = ABOVE + "SELECT i.*" + HOLDING + " AND ($2::text IS NULL OR scope = $2)"
            + SHOWN.formatted(3) + ORDER + " LIMIT " + MAX;

    private static final String LIST =
            "SELECT * FROM instructions WHERE ($1::text IS NULL OR scope = $1)" + SHOWN.formatted(2) + """
            ORDER BY array_position(ARRAY['global', 'team', 'workspace'], scope), scope_target, priority DESC, created_at, id LIMIT
            """ + MAX;

    private static final String GET = "SELECT * FROM instructions WHERE id = $1" + SHOWN.formatted(2);

    static ApiError unknown() {
        return ApiError.notFound("instruction not found");
    }

    /**
     * Those that are switched off among them.
     *
     * @param scope null for any
     * @param workspace null for all there are, else those that hold for it or would
     * @param within the workspaces at and below which somebody may look, to whom those for others are not shown; null for who may everywhere
     */
    Future<List<Instruction>> list(
            @Nullable InstructionScope scope, @Nullable UUID workspace, @Nullable List<UUID> within) {
        var asked = workspace == null ? Tuple.tuple() : Tuple.of(workspace);
        asked.addString(scope == null ? null : scope.wire()).addArrayOfUUID(array(within));
        return database.list(workspace == null ? LIST : LIST_OF, asked, PgInstructionStore::toInstruction);
    }

    /** One of those; fails with NOT_FOUND. */
    Future<Instruction> get(UUID id, @Nullable List<UUID> within) {
        return database.find(GET, Tuple.of(id).addArrayOfUUID(array(within)), PgInstructionStore::toInstruction)
                .map(found -> found.orElseThrow(PgInstructionStore::unknown));
    }

    private static UUID @Nullable [] array(@Nullable List<UUID> within) {
        return within == null ? null : within.toArray(UUID[]::new);
    }

    /** Fails with INVALID for an unknown target, and with CONFLICT where there are as many as there may be. */
    Future<Void> insert(Instruction rule) {
        return database.transaction(transaction -> transaction
                .run(LOCK)
                .compose(locked -> transaction.get(COUNTS, Tuple.of(rule.scope().wire(), rule.target()), row -> row))
                .compose(counts -> {
                    if (!counts.getBoolean("there")) {
                        throw ApiError.invalid("scope_target must be the id of a workspace");
                    }
                    if (counts.getInteger("of_target") >= OF_TARGET_MAX) {
                        throw ApiError.conflict("maximum %d instructions of one scope".formatted(OF_TARGET_MAX));
                    }
                    if (counts.getInteger("total") >= MAX) {
                        throw ApiError.conflict("maximum %d instructions".formatted(MAX));
                    }
                    var words = rule.words();
                    return transaction.run(
                            INSERT,
                            Tuple.of(
                                    rule.id(),
                                    rule.scope().wire(),
                                    rule.target(),
                                    words.title(),
                                    words.content(),
                                    words.priority(),
                                    words.enabled(),
                                    PgValues.time(rule.createdAt())));
                })
                .compose(done -> tell(transaction, rule, "created")));
    }

    /** Fails with NOT_FOUND. */
    Future<Void> change(UUID id, UnaryOperator<Words> to, Instant now) {
        return database.transaction(transaction -> transaction
                .find(FIND, Tuple.of(id), PgInstructionStore::toInstruction)
                .compose(found -> {
                    var old = found.orElseThrow(PgInstructionStore::unknown);
                    var words = to.apply(old.words());
                    return transaction
                            .run(
                                    CHANGE,
                                    Tuple.of(
                                            id,
                                            words.title(),
                                            words.content(),
                                            words.priority(),
                                            words.enabled(),
                                            PgValues.time(now)))
                            .compose(done -> tell(transaction, old, "updated"));
                }));
    }

    /** Fails with NOT_FOUND. */
    Future<Void> delete(UUID id) {
        return database.transaction(transaction -> transaction
                .find(DELETE, Tuple.of(id), PgInstructionStore::toInstruction)
                .compose(gone -> tell(transaction, gone.orElseThrow(PgInstructionStore::unknown), "deleted")));
    }

    /** Fails with NOT_FOUND for a workspace that never was. */
    Future<List<Rule>> holdingFor(UUID workspace) {
        return database.list(
                        HOLDING_FOR,
                        Tuple.of(workspace),
                        row -> new Rule(scopeOf(row), row.getString("title"), row.getString("content")))
                .compose(rules -> database.query(EXISTS, Tuple.of(workspace)).map(there -> {
                    if (there.size() == 0) {
                        throw ApiError.notFound("workspace not found");
                    }
                    return rules;
                }));
    }

    /** Of no workspace where it may concern many: every agent hears it then, and not which team it is about. */
    private static Future<Void> tell(Sql transaction, Instruction rule, String change) {
        var about = rule.scope() == InstructionScope.WORKSPACE ? rule.target() : null;
        return EventLog.append(
                transaction,
                "INSTRUCTIONS_CHANGED",
                about,
                Json.object()
                        .put("id", rule.id().toString())
                        .put("scope", rule.scope().wire())
                        .put("change", change));
    }

    private static InstructionScope scopeOf(Row row) {
        return InstructionScope.find(row.getString("scope")).orElseThrow();
    }

    private static Instruction toInstruction(Row row) {
        return new Instruction(
                row.getUUID("id"),
                scopeOf(row),
                row.getUUID("scope_target"),
                new Words(
                        row.getString("title"),
                        row.getString("content"),
                        row.getInteger("priority"),
                        row.getBoolean("enabled")),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                Objects.requireNonNull(PgValues.instant(row, "updated_at")));
    }
}
