package ai.molecule.registry.memories;

/** The statement behind a {@link MemoryQuery}: whose memories, which of them, in which order. Reads one snapshot. */
final class PgMemoryReach {

    /** $1 is the reader, $2 the namespace or null, $3 the text, $4 the limit. */
    private static final String LIST = """
            SELECT id, workspace_id, scope, namespace, content, created_at
            FROM (%1$s) AS memories
            WHERE %2$s
            ORDER BY %3$s LIMIT $4
            """;

    private static final String IN_NAMESPACE = "($2::text IS NULL OR namespace = $2)";

    private static final String OF =
            "SELECT * FROM memories WHERE %1$s AND " + IN_NAMESPACE + " AND %2$s ORDER BY %3$s LIMIT %4$s";

    private static final String OWN = "workspace_id = $1";
    private static final String LOCAL = "workspace_id = $1 AND scope = 'LOCAL'";

    private static final String TENANTS = "EXISTS (SELECT 1 FROM workspaces WHERE tenant IS NOT NULL)";

    /**
     * They end at the tenant. Where there is none nobody looks for whose they are; else the authors are gone through, each by one look into
     * the index, and of those of the tenant the memories that come first are read: not what others wrote. Who wrote them was a root
     * then, and may have been moved below another since.
     */
    private static final String GLOBAL = """
            (SELECT * FROM memories WHERE scope = 'GLOBAL' AND NOT %5$s AND %4$s AND %1$s ORDER BY %2$s LIMIT %3$s)
            UNION ALL
            (WITH RECURSIVE author (id) AS (
                (SELECT workspace_id FROM memories WHERE scope = 'GLOBAL' ORDER BY workspace_id LIMIT 1)
                UNION ALL
                SELECT (SELECT workspace_id FROM memories WHERE scope = 'GLOBAL' AND workspace_id > author.id ORDER BY workspace_id LIMIT 1)
                FROM author WHERE author.id IS NOT NULL
            )
            SELECT told.* FROM author JOIN workspaces AS w ON w.id = author.id CROSS JOIN LATERAL (
                SELECT * FROM memories WHERE workspace_id = author.id AND scope = 'GLOBAL' AND %4$s AND %1$s ORDER BY %2$s LIMIT %3$s
            ) AS told
            WHERE %5$s AND CASE WHEN w.parent_id IS NULL THEN w.tenant ELSE tenant_of(w.id) END
                IS NOT DISTINCT FROM (SELECT tenant_of($1::uuid))
            ORDER BY %2$s LIMIT %3$s)
            """;

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

    private static final String NEWEST = "created_at DESC, position DESC";

    private static final String ANY = "$3::text IS NOT NULL";
    private static final String SUBSTRING = "position(lower($3) IN lower(content)) > 0";

    /** {@code plainto_tsquery} takes every text for words: nothing in it is syntax. What is no word is left out as in the column {@code words}. */
    private static final String ALL_WORDS = """
            (plainto_tsquery('english', registry.plain_words($3))
                || plainto_tsquery('simple', registry.folded(registry.plain_words($3))))""";

    /** What blanks part in the text, as it is compared. */
    private static final String PARTS = """
            (SELECT DISTINCT part FROM regexp_split_to_table(registry.folded(registry.plain_words($3)), '\\s+') AS part
            WHERE part <> '' LIMIT 32) AS parts""";

    /** Words that English search leaves out are in nearly every text, and are not looked for by themselves. */
    private static final String ANY_WORD = """
            (SELECT string_agg((plainto_tsquery('english', part) || plainto_tsquery('simple', part))::text, ' | ')::tsquery
            FROM %s WHERE numnode(plainto_tsquery('english', part)) > 0)""".formatted(PARTS);

    /**
     * The text anywhere, for who writes without blanks; or each part of it within some word, for who joins words into one. A part has no
     * wildcards, as those are no letters.
     */
    private static final String PART_OF_WORDS = """
            (%1$s OR (EXISTS (SELECT 1 FROM %2$s)
                AND strip(words)::text LIKE ALL (ARRAY(SELECT '%%' || part || '%%' FROM %2$s))))
            """.formatted(SUBSTRING, PARTS);

    /** So many of the newest are looked through for parts of words, which have no index: as many as a workspace keeps. */
    private static final String LOOKED_THROUGH = "10000";

    /** How a text is found. What nothing is found by is looked for by the next. */
    enum Match {
        ALL_WORDS,
        ANY_WORD,
        PART_OF_WORDS
    }

    private PgMemoryReach() {}

    static String statement(MemoryQuery query, Match match) {
        if (query.text().isEmpty()) {
            return matching(query, ANY, NEWEST);
        }
        if (!query.byWords()) {
            return matching(query, SUBSTRING, NEWEST);
        }
        return switch (match) {
            case ALL_WORDS -> byRank(query, ALL_WORDS);
            case ANY_WORD -> byRank(query, ANY_WORD);
            case PART_OF_WORDS -> LIST.formatted(rows(query, "true", NEWEST, LOOKED_THROUGH), PART_OF_WORDS, NEWEST);
        };
    }

    private static String byRank(MemoryQuery query, String words) {
        return matching(query, "words @@ " + words, "ts_rank(words, " + words + ") DESC, " + NEWEST);
    }

    private static String matching(MemoryQuery query, String match, String order) {
        return LIST.formatted(rows(query, match, order, "$4"), "true", order);
    }

    /** Those that match, as many of the first as are wanted. */
    private static String rows(MemoryQuery query, String match, String order, String limit) {
        return switch (query.scope()) {
            case null -> OF.formatted(OWN, match, order, limit);
            case LOCAL -> OF.formatted(LOCAL, match, order, limit);
            case TEAM -> OF.formatted(TEAM, match, order, limit);
            case GLOBAL -> GLOBAL.formatted(match, order, limit, IN_NAMESPACE, TENANTS);
        };
    }
}
