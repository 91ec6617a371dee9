package ai.molecule.registry.deciders;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.json.Json;
import ai.molecule.registry.deciders.ApprovalRule.Words;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The table {@code approval_rules} (db/registry/V203__approval_rules.sql). */
public record PgApprovalRuleStore(Database database) {

    static final int MAX = 50;

    /** One is added at a time, so that the count holds. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(66532872)";

    private static final String CHECK = """
            SELECT count(*)::integer AS total, coalesce(bool_or(name = $1), false) AS known,
                $2::uuid IS NULL OR EXISTS (SELECT 1 FROM workspaces WHERE id = $2 AND status <> 'removed') AS there,
                (SELECT named.login FROM unnest($3::text[]) WITH ORDINALITY AS named (login, nth)
                    WHERE NOT EXISTS (SELECT 1 FROM people WHERE people.login = named.login AND NOT disabled)
                    ORDER BY named.nth LIMIT 1) AS stranger
            FROM approval_rules
            """;

    private static final String PUT = """
            INSERT INTO approval_rules (name, team, priority, applies_when, requires, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5::text::jsonb, $6, $6)
            ON CONFLICT (name) DO UPDATE
            SET team = excluded.team, priority = excluded.priority, applies_when = excluded.applies_when, requires = excluded.requires,
                updated_at = excluded.updated_at
            """;

    private static final String DELETE = "DELETE FROM approval_rules WHERE name = $1";

    /** In the order in which they are asked; a team that is removed has none. */
    private static final String LIST = """
            SELECT rule.team, w.name AS team_name, rule.priority, rule.applies_when, rule.requires::text AS requires, rule.created_at,
                rule.updated_at
            FROM approval_rules AS rule LEFT JOIN workspaces AS w ON w.id = rule.team
            WHERE rule.team IS NULL OR w.status <> 'removed'
            ORDER BY rule.priority DESC, rule.name LIMIT
            """ + " " + MAX;

    static ApiError unknown() {
        return ApiError.notFound("approval rule not found");
    }

    Future<List<ApprovalRule>> list() {
        return database.list(LIST, Tuple.tuple(), PgApprovalRuleStore::toRule);
    }

    /** Makes the rule, or changes it. Fails with NOT_FOUND for an unknown team, INVALID for an unknown person and CONFLICT where there are as many as there may be. */
    Future<Void> put(Words words, Instant now) {
        String name = words.requirement().rule();
        return database.transaction(transaction -> transaction
                .run(LOCK)
                .compose(locked -> transaction.get(
                        CHECK,
                        Tuple.tuple()
                                .addString(name)
                                .addUUID(words.team())
                                .addArrayOfString(words.requirement().people().toArray(String[]::new)),
                        row -> row))
                .compose(found -> {
                    if (!found.getBoolean("there")) {
                        throw ApiError.notFound("workspace not found");
                    }
                    @Nullable String stranger = found.getString("stranger");
                    if (stranger != null) {
                        throw ApiError.invalid("nobody signs in as \"%s\"; invite them first".formatted(stranger));
                    }
                    if (!found.getBoolean("known") && found.getInteger("total") >= MAX) {
                        throw ApiError.conflict("maximum %d approval rules".formatted(MAX));
                    }
                    return transaction.run(
                            PUT,
                            Tuple.tuple()
                                    .addString(name)
                                    .addUUID(words.team())
                                    .addInteger(words.priority())
                                    .addString(words.when())
                                    .addString(Json.text(words.requirement().toJson()))
                                    .addValue(PgValues.time(now)));
                }));
    }

    Future<Void> delete(String name) {
        return database.changes(DELETE, Tuple.of(name))
                .compose(gone -> gone ? Future.succeededFuture() : Future.failedFuture(unknown()));
    }

    private static ApprovalRule toRule(Row row) {
        return new ApprovalRule(
                new Words(
                        row.getUUID("team"),
                        row.getInteger("priority"),
                        row.getString("applies_when"),
                        Requirement.of(Json.stored(row.getString("requires")))),
                row.getString("team_name"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                Objects.requireNonNull(PgValues.instant(row, "updated_at")));
    }
}
