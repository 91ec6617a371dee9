package ai.molecule.registry.memories;

/** The statement behind a {@link MemoryQuery}: whose memories, which of them, in which order. Reads one snapshot. */
final class PgMemoryReach {

    /** $1 is the reader, $2 the namespace or null, $3 the text, $4 the limit. */
    private static final String LIST = """
            SELECT id, workspace_id, scope, namespace, content, created_at FROM memories
            WHERE %s
              AND ($2::text IS NULL OR namespace = $2)
              AND %s
            ORDER BY %s created_at DESC, position DESC
            LIMIT $4
            """;

    private static final String OWN = "workspace_id = $1";
    private static final String LOCAL = "workspace_id = $1 AND scope = 'LOCAL'";

    /** They end at the tenant; where there is none nobody looks for whose they are. */
    private static final String GLOBAL = """
            scope = 'GLOBAL' AND (
                NOT EXISTS (SELECT 1 FROM workspaces WHERE tenant IS NOT NULL)
                OR tenant_of(workspace_id) IS NOT DISTINCT FROM tenant_of($1::uuid)
            )""";

    /** The parent's team for a child, its own for a root. All of these may talk to the reader, so that nothing is left to filter. */
    private static final String TEAM = """
            scope = 'TEAM' AND workspace_id IN (
                SELECT mate.id
                FROM workspaces AS reader
                JOIN workspaces AS mate
                  ON mate.id = coalesce(reader.parent_id, reader.id)
                  OR mate.parent_id = coalesce(reader.parent_id, reader.id)
                WHERE reader.id = $1 AND mate.status <> 'removed'
            )""";

    private static final String ANY = "$3::text IS NOT NULL";
    private static final String SUBSTRING = "position(lower($3) IN lower(content)) > 0";

    /** {@code plainto_tsquery} takes every text for words: nothing in it is syntax. What is no word is left out as in the column {@code words}. */
    private static final String ASKED = "plainto_tsquery('english', registry.plain_words($3))";

    private static final String WORDS = "words @@ " + ASKED;
    private static final String BY_RANK = "ts_rank(words, " + ASKED + ") DESC,";

    private PgMemoryReach() {}

    static String statement(MemoryQuery query) {
        String match = query.text().isEmpty() ? ANY : query.byWords() ? WORDS : SUBSTRING;
        return LIST.formatted(whose(query), match, query.byWords() ? BY_RANK : "");
    }

    private static String whose(MemoryQuery query) {
        return switch (query.scope()) {
            case null -> OWN;
            case LOCAL -> LOCAL;
            case TEAM -> TEAM;
            case GLOBAL -> GLOBAL;
        };
    }
}
