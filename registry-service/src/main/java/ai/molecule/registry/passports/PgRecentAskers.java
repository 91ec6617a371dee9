package ai.molecule.registry.passports;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * People who may be behind what an agent asks where no passport names one: those on whose behalf it, or an agent above it, was asked within the last
 * hours, and whoever minted a token of the agent or the organization's token it asks with. In {@code recent_askers}, {@code workspace_tokens} and {@code org_tokens}.
 */
public record PgRecentAskers(Database database) {

    /** Longer than most runs last, and over before the next day's: who asked yesterday may decide today. */
    private static final Duration RECENT = Duration.ofHours(4);

    /** Of more people the newest. */
    private static final int PEOPLE_MAX = 50;

    private static final String PERSON = "person:";
    private static final String ORGANISATION_TOKEN = "org-token:";

    /** Of a principal, the logins: what is said at a messenger is the person's ({@code person:kim (telegram)}), an organization's token that of who made it. */
    private static final String BEHIND = """
            SELECT split_part(substr(%1$s, length('person:') + 1), ' ', 1) AS login WHERE starts_with(%1$s, 'person:')
            UNION
            SELECT substr(created_by, length('person:') + 1) FROM org_tokens
            WHERE 'org-token:' || prefix = %1$s AND starts_with(created_by, 'person:')
            """;

    /** A workspace that is gone gets no row. One that was noted within the last minute is left alone. */
    private static final String NOTE = """
            INSERT INTO recent_askers AS asker (workspace_id, login, asked_at)
            SELECT workspaces.id, behind.login, $3::timestamptz FROM workspaces, (%s) AS behind WHERE workspaces.id = $1
            ON CONFLICT (workspace_id, login) DO UPDATE SET asked_at = excluded.asked_at
                WHERE asker.asked_at < excluded.asked_at - interval '1 minute'
            """.formatted(BEHIND.formatted("$2::text"));

    private static final String OF_PRINCIPAL =
            "SELECT login FROM (%s) AS behind ORDER BY login".formatted(BEHIND.formatted("$1::text"));

    /**
     * By the keys of all three; an agent has few above it. Of its tokens not only the one that is shown: with one of them another can be minted. A
     * start's token is the platform's, whoever pressed the button.
     */
    private static final String OF_WORKSPACE = """
            WITH RECURSIVE above (id, parent_id) AS (
                SELECT id, parent_id FROM workspaces WHERE id = $1
                UNION
                SELECT parent.id, parent.parent_id FROM workspaces AS parent JOIN above ON parent.id = above.parent_id
            ), recent AS (
                SELECT login, max(asked_at) AS asked_at FROM recent_askers JOIN above ON above.id = workspace_id
                WHERE asked_at > $2 GROUP BY login ORDER BY 2 DESC LIMIT $4
            )
            SELECT login FROM recent
            UNION
            SELECT minted_by FROM workspace_tokens WHERE workspace_id = $1 AND incarnation IS NULL AND minted_by IS NOT NULL
            UNION
            SELECT substr(created_by, length('person:') + 1) FROM org_tokens WHERE token_hash = $3 AND starts_with(created_by, 'person:')
            ORDER BY 1
            """;

    private static final String FORGET = "DELETE FROM recent_askers WHERE asked_at <= $1";

    /** Notes for whom an agent is asked; nothing where no person is behind the principal. */
    Future<Void> note(UUID workspaceId, String principal, Instant now) {
        return principal.startsWith(PERSON) || principal.startsWith(ORGANISATION_TOKEN)
                ? database.run(NOTE, Tuple.of(workspaceId, principal, PgValues.time(now)))
                : Future.succeededFuture();
    }

    /** The logins of those behind the principal of a passport that names no person itself. */
    public Future<List<String>> ofPrincipal(String principal) {
        return principal.startsWith(ORGANISATION_TOKEN)
                ? database.list(OF_PRINCIPAL, Tuple.of(principal), row -> row.getString(0))
                : Future.succeededFuture(List.of());
    }

    /**
     * The logins of those who may be behind what this agent asks now without a passport.
     *
     * @param bearer that is shown; null for none
     */
    public Future<List<String>> ofWorkspace(UUID workspaceId, @Nullable String bearer, Instant now) {
        return database.list(
                OF_WORKSPACE,
                Tuple.of(workspaceId, PgValues.time(now.minus(RECENT)))
                        .addValue(bearer == null ? null : Buffer.buffer(Tokens.hash(bearer)))
                        .addInteger(PEOPLE_MAX),
                row -> row.getString(0));
    }

    /** Deletes who asked longer ago than is looked at; to be run now and then. */
    public Future<Void> forget(Instant now) {
        return database.run(FORGET, Tuple.of(PgValues.time(now.minus(RECENT))));
    }
}
