package ai.molecule.registry.policy;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.registry.policy.CallFacts.Party;
import ai.molecule.registry.policy.PolicyRule.Mode;
import ai.molecule.registry.policy.PolicyRule.Name;
import ai.molecule.registry.policy.PolicyRule.Words;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code policy_rules} (db/registry/V145__policy_rules.sql), and what rules are told of workspaces. */
public record PgPolicyStore(Database database) {

    /** Of all together, and of one branch. */
    static final int MAX = 200;

    static final int OF_BRANCH_MAX = 20;

    private static final double CENTS = 100;

    /** One is added at a time, so that both counts hold. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(66532871)";

    private static final String COUNTS = """
            SELECT count(*)::integer AS total, (count(*) FILTER (WHERE branch IS NOT DISTINCT FROM $1))::integer AS of_branch,
                coalesce(bool_or(branch IS NOT DISTINCT FROM $1 AND name = $2), false) AS known,
                coalesce(bool_or(branch IS NOT DISTINCT FROM $1 AND name = $2 AND by_organisation), false) AS held,
                coalesce(bool_or(branch IS NOT DISTINCT FROM $1 AND name = $2
                    AND refuse_when = $3 AND says = $4 AND mode = $5), false) AS same,
                $1::uuid IS NULL OR EXISTS (SELECT 1 FROM workspaces WHERE id = $1 AND status <> 'removed') AS there
            FROM policy_rules
            """;

    private static final String PUT = """
            INSERT INTO policy_rules (branch, name, refuse_when, says, mode, created_at, updated_at, by_organisation)
            VALUES ($1, $2, $3, $4, $5, $6, $6, $7)
            ON CONFLICT (branch, name) DO UPDATE
            SET refuse_when = excluded.refuse_when, says = excluded.says, mode = excluded.mode, updated_at = excluded.updated_at,
                by_organisation = excluded.by_organisation
            """;

    private static final String HELD = """
            SELECT by_organisation FROM policy_rules WHERE branch IS NOT DISTINCT FROM $1 AND name = $2 FOR UPDATE
            """;

    private static final String DELETE = "DELETE FROM policy_rules WHERE branch IS NOT DISTINCT FROM $1 AND name = $2";

    /** Those of the organisation first; a branch that is removed has none. */
    private static final String LIST = """
            SELECT rule.*, w.name AS branch_name FROM policy_rules AS rule LEFT JOIN workspaces AS w ON w.id = rule.branch
            WHERE rule.branch IS NULL OR w.status <> 'removed'
            ORDER BY rule.branch IS NOT NULL, w.name, rule.branch, rule.name LIMIT
            """ + " " + MAX;

    private static final String PARTIES = """
            WITH RECURSIVE above (of, id, parent_id, tenant, far) AS (
                SELECT id, id, parent_id, tenant, 0 FROM workspaces WHERE id = ANY ($1)
                UNION ALL
                SELECT above.of, w.id, w.parent_id, w.tenant, above.far + 1
                FROM workspaces AS w JOIN above ON w.id = above.parent_id
                WHERE above.far < 1000
            ), branches AS (
                SELECT of, array_agg(id) AS ids, max(tenant) FILTER (WHERE parent_id IS NULL) AS tenant FROM above GROUP BY of
            )
            SELECT w.id, w.name, coalesce(w.role, '') AS role, w.runtime, w.tier, coalesce(branches.tenant, '') AS tenant, branches.ids,
                CASE WHEN h.spend_month = $2 THEN h.monthly_spend ELSE 0 END AS cents
            FROM workspaces AS w JOIN branches ON branches.of = w.id LEFT JOIN heartbeats AS h ON h.workspace_id = w.id
            """;

    static ApiError unknown() {
        return ApiError.notFound("policy rule not found");
    }

    private static ApiError held() {
        return ApiError.forbidden(
                "the organization set this policy — ask an operator of the organization to change it");
    }

    Future<List<PolicyRule>> list() {
        return database.list(LIST, Tuple.tuple(), PgPolicyStore::toRule);
    }

    /** Makes the rule, or changes it. Fails with NOT_FOUND for an unknown branch, with CONFLICT where there are as many as there may be, and with FORBIDDEN for a branch where it is the organisation's. */
    Future<Void> put(@Nullable UUID branch, Name name, Words words, boolean ofBranch, Instant now) {
        return database.transaction(transaction -> transaction
                .run(LOCK)
                .compose(locked -> transaction.get(
                        COUNTS,
                        Tuple.of(
                                branch,
                                name.text(),
                                words.refuseWhen(),
                                words.says(),
                                words.mode().wire()),
                        row -> row))
                .compose(counts -> {
                    if (!counts.getBoolean("there")) {
                        throw ApiError.notFound("workspace not found");
                    }
                    if (ofBranch && counts.getBoolean("held")) {
                        if (counts.getBoolean("same")) {
                            return Future.succeededFuture(); // and stays the organisation's
                        }
                        throw held();
                    }
                    if (!counts.getBoolean("known") && counts.getInteger("of_branch") >= OF_BRANCH_MAX) {
                        throw ApiError.conflict("maximum %d policy rules of one branch".formatted(OF_BRANCH_MAX));
                    }
                    if (!counts.getBoolean("known") && counts.getInteger("total") >= MAX) {
                        throw ApiError.conflict("maximum %d policy rules".formatted(MAX));
                    }
                    return transaction.run(
                            PUT,
                            Tuple.of(
                                    branch,
                                    name.text(),
                                    words.refuseWhen(),
                                    words.says(),
                                    words.mode().wire(),
                                    PgValues.time(now),
                                    !ofBranch));
                }));
    }

    /** Fails with NOT_FOUND, and with FORBIDDEN for a branch where it is the organisation's. */
    Future<Void> delete(@Nullable UUID branch, Name name, boolean ofBranch) {
        var rule = Tuple.of(branch, name.text());
        return database.transaction(transaction -> transaction
                .find(HELD, rule, row -> row.getBoolean(0))
                .compose(byOrganisation -> {
                    if (byOrganisation.orElseThrow(PgPolicyStore::unknown) && ofBranch) {
                        throw held();
                    }
                    return transaction.run(DELETE, rule);
                }));
    }

    /** Those that there are of these. */
    public Future<Map<UUID, Party>> parties(Collection<UUID> ids, Instant now) {
        var month = LocalDate.ofInstant(now, ZoneOffset.UTC).withDayOfMonth(1);
        return database.list(PARTIES, Tuple.of(ids.toArray(UUID[]::new), month), PgPolicyStore::toParty)
                .map(parties -> {
                    Map<UUID, Party> known = new HashMap<>();
                    parties.forEach(party -> known.put(party.id(), party));
                    return known;
                });
    }

    private static Party toParty(Row row) {
        return new Party(
                row.getUUID("id"),
                row.getString("name"),
                row.getString("role"),
                row.getString("runtime"),
                row.getString("tenant"),
                row.getInteger("tier"),
                row.getLong("cents") / CENTS,
                Set.of(row.getArrayOfUUIDs("ids")));
    }

    private static PolicyRule toRule(Row row) {
        return new PolicyRule(
                new Name(row.getString("name")),
                row.getUUID("branch"),
                row.getString("branch_name"),
                new Words(row.getString("refuse_when"), row.getString("says"), Mode.of(row.getString("mode"))),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                Objects.requireNonNull(PgValues.instant(row, "updated_at")));
    }
}
