package ai.molecule.system.routes;

import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the tables of all services hold, but for the rows of some workspaces and people: a count and a hash of each table, so that reading it is
 * cheap. The tables are those that the database lists: a new one is compared from its first day on, and all of it counts as outside until it
 * has a column that says whose a row is. What the organization set on workspaces, and the folder of templates, count as tables too.
 */
final class StoredState {

    /** Of the caller's own workspaces, and yet nobody's but the organization's: quarantines, limits, policies and decisions there. */
    static final String MEASURES = "what the organization set on the branch";

    /** Whatever administrators write themselves when they make something for the walk. */
    static final Set<String> OF_ADMINISTRATORS = Set.of(MEASURES, "registry.people_roles", "registry.people_tenants");

    private static final String TEMPLATES = "the folder of templates";

    /** Tables that are otherwise after any request, or by themselves, and why that is nothing that the request did to others. */
    private static final Map<String, String> LEFT_OUT = Map.ofEntries(
            Map.entry("log.audit", "the record: what was refused is in it too, and nothing of it is ever changed"),
            Map.entry("log.audit_chain", "how far the record is linked"),
            Map.entry("log.audit_heads", "how far the record is signed"),
            Map.entry("log.activity_bodies", "belongs to rows of log.activity, which are compared"),
            Map.entry("log.events", "tells of changes, of some the parent and every agent too (docs/wire/events.md)"),
            Map.entry("log.position", "how far the log is numbered"),
            Map.entry("log.pruned", "how far the log was deleted"),
            Map.entry("log.sequencer_term", "which replica numbers the log"),
            Map.entry("log.rate_windows", "counts requests"),
            Map.entry("registry.claims", "which replica does a job"),
            Map.entry("registry.branch_changes", "tells the parent's caches too that something below it changed"),
            Map.entry("registry.devices", "codes of programs that wait for anybody, for ten minutes"),
            Map.entry("registry.sign_ins", "sign-ins that anybody began, for ten minutes"),
            Map.entry("proxy.proxies", "which replicas live"),
            Map.entry("events.inbox_reached", "how far the inbox follows the log"),
            Map.entry("events.org_snapshots", "pictures of the log"),
            Map.entry("events.tickets", "tickets of sockets, for a minute"),
            Map.entry("provisioner.agent_host", "which provisioner lives"));

    /** Notes of when a credential or secret was used last and by whom, and the number that a row of the log gets later. */
    private static final Set<String> COLUMNS_LEFT_OUT = Set.of("last_used_at", "last_read_at", "last_read_by", "seq");

    /** The column that says whose a row is: the first of these that a table has. */
    private static final List<String> OWNERS = List.of(
            "person_id",
            "workspace_id",
            "branch",
            "scope_target",
            "parent_id",
            "team_id",
            "source_id",
            "target_id",
            "owner");

    /** Tables of which another column, or part of one, says it. */
    private static final Map<String, String> OWNERS_OF = Map.of(
            "registry.workspaces",
            "id",
            "registry.people",
            "id",
            "registry.people_roles",
            "NULL::uuid", // nobody gives a role to itself
            "registry.people_tenants",
            "NULL::uuid",
            "registry.kept_secrets",
            "substring(key FROM '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}')::uuid");

    private static final String TABLES = """
            SELECT t.table_schema || '.' || t.table_name AS name, array_agg(c.column_name::text ORDER BY c.ordinal_position) AS columns,
                coalesce(array_agg(c.column_name::text) FILTER (WHERE c.udt_name = 'uuid'), '{}') AS ids
            FROM information_schema.tables AS t JOIN information_schema.columns AS c USING (table_schema, table_name)
            WHERE t.table_type = 'BASE TABLE' AND t.table_schema NOT IN ('pg_catalog', 'information_schema')
                AND t.table_name <> 'flyway_schema_history'
                AND NOT EXISTS (SELECT 1 FROM pg_inherits
                    WHERE inhrelid = format('%I.%I', t.table_schema, t.table_name)::regclass) -- a partition is read with its table
            GROUP BY 1 ORDER BY 1
            """;

    private static final String REFERENCES = """
            SELECT n.nspname || '.' || c.relname AS name, a.attname::text AS member, pn.nspname || '.' || p.relname AS of_table,
                pa.attname::text AS of_column
            FROM pg_constraint AS f
            JOIN pg_class AS c ON c.oid = f.conrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
            JOIN pg_class AS p ON p.oid = f.confrelid JOIN pg_namespace AS pn ON pn.oid = p.relnamespace
            JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
            JOIN pg_attribute AS pa ON pa.attrelid = f.confrelid AND pa.attnum = f.confkey[1]
            WHERE f.contype = 'f' AND cardinality(f.conkey) = 1 AND f.conrelid <> f.confrelid
            """;

    /**
     * What only the organization may change: of an operator's branch where it did so, of an agent all of its own. A tier up to 2 anybody may choose,
     * and who decides an approval without a rule is the operator's to say, never the agent's.
     */
    private static final String ORGANIZATIONS = """
            UNION ALL SELECT '%s', count(*) || ' rows ' || coalesce(sum(hashtextextended(kept, 0)), 0) FROM (
                SELECT concat_ws(' ', id, coalesce(tenant, '-'), quarantined, quarantined_by_organisation, paused_by_organisation,
                    coalesce(budget_limit::text, '-'), budget_limit_by_organisation, coalesce(team_limit::text, '-'), team_limit_by_organisation,
                    greatest(tier, 2), coalesce(workspace_dir, '-'), quarantined_by_organisation AND status = 'removed') AS kept
                FROM registry.workspaces WHERE id = ANY (bound)
                UNION ALL
                SELECT concat_ws(' ', branch, name, refuse_when, says, mode) FROM registry.policy_rules
                WHERE by_organisation AND branch = ANY (bound)
                UNION ALL
                SELECT concat_ws(' ', id, decision, votes) FROM registry.approvals
                WHERE workspace_id = ANY (bound) AND (deciders IS NOT NULL OR of_agent) AND (decision IS NOT NULL OR votes <> '[]')
            ) AS measures
            """.formatted(MEASURES);

    /**
     * Whose eyes are used.
     *
     * @param theirs workspaces and people whose rows do not count
     * @param bound workspaces of these on which it counts what the organization set
     * @param ofAgent whether an agent looks, which decides nothing about itself
     */
    record Scope(Set<UUID> theirs, Set<UUID> bound, boolean ofAgent) {

        private Tuple tuple() {
            return ids(theirs).addArrayOfUUID(bound.toArray(UUID[]::new)).addBoolean(ofAgent);
        }
    }

    /** One column of a table refers to another table. */
    private record Reference(String member, String table, String column) {}

    /** Where a workspace stands. */
    record Node(UUID id, @Nullable UUID parent, @Nullable String tenant) {}

    /**
     * What was read at one moment.
     *
     * @param transactions as {@code pg_current_snapshot} writes which of them are seen: the same text is the same rows
     * @param digests of each table
     */
    record Snapshot(String transactions, Map<String, String> digests) {

        /** The tables that hold something else. */
        Set<String> differing(Snapshot other) {
            var tables = new TreeSet<>(digests.keySet());
            tables.addAll(other.digests.keySet());
            tables.removeIf(table -> digests.getOrDefault(table, "").equals(other.digests.getOrDefault(table, "")));
            return tables;
        }

        /** With what some tables hold now. */
        Snapshot with(Snapshot now, Set<String> some) {
            var mixed = new TreeMap<>(digests);
            some.forEach(table -> mixed.put(table, now.digest(table)));
            return new Snapshot(transactions, mixed);
        }

        /** No transaction with this number, or a higher one, had begun. */
        private long xid() {
            return Long.parseLong(transactions.split(":", 3)[1]);
        }

        String digest(String table) {
            return digests.getOrDefault(table, "");
        }
    }

    private final Pool database;
    private final Path templates;
    private final Map<String, Row> tables;
    private final Map<String, List<Reference>> references;
    private Scope lastScope = new Scope(Set.of(), Set.of(), false);
    private Snapshot last = new Snapshot("", Map.of());

    /** @param templates the folder of all templates, which is nobody's branch */
    StoredState(Pool database, Path templates) {
        this.database = database;
        this.templates = templates;
        tables = database.query(TABLES).execute().await().stream()
                .collect(
                        Collectors.toMap(row -> row.getString("name"), Function.identity(), (a, b) -> a, TreeMap::new));
        references = database.query(REFERENCES).execute().await().stream()
                .collect(Collectors.groupingBy(
                        row -> row.getString("name"),
                        Collectors.mapping(
                                row -> new Reference(
                                        row.getString("member"), row.getString("of_table"), row.getString("of_column")),
                                Collectors.toList())));
        if (!tables.keySet().containsAll(LEFT_OUT.keySet())) {
            throw new IllegalStateException("left out, and there is no such table: " + LEFT_OUT.keySet());
        }
        tables.keySet().removeAll(LEFT_OUT.keySet());
        // a function, because the plan of a statement of this length is not kept otherwise
        database.query("""
                CREATE FUNCTION public.stored_outside(theirs uuid[], bound uuid[], of_agent boolean)
                RETURNS TABLE (of_table text, of_rows text) LANGUAGE plpgsql STABLE AS
                $function$ BEGIN RETURN QUERY SELECT ''::text, pg_current_snapshot()::text
                %s
                %s; END $function$
                """.formatted(
                        tables.keySet().stream().map(this::digestOf).collect(Collectors.joining("\n")), ORGANIZATIONS))
                .execute()
                .await();
    }

    private String digestOf(String table) {
        return "UNION ALL SELECT '%s', count(*) || ' rows ' || coalesce(sum(hashtextextended(%s, 0)), 0) FROM %s AS t WHERE %s"
                .formatted(table, text(table), table, isOutside(table, "theirs"));
    }

    private String text(String table) {
        var left = Stream.of(column(table, "columns"))
                .filter(COLUMNS_LEFT_OUT::contains)
                .map(name -> " - '" + name + "'")
                .sorted()
                .toList();
        return left.isEmpty() ? "t::text" : "(to_jsonb(t)%s)::text".formatted(String.join("", left));
    }

    private String[] column(String table, String name) {
        return tables.get(table).getArrayOfStrings(name);
    }

    private String isOutside(String table, String theirs) {
        return owner(table, "t", new HashSet<>())
                .map(owner -> "(%s <> ALL (%s)) IS NOT FALSE".formatted(owner, theirs))
                .orElse("true");
    }

    /** Of a row: its own column, or that of the row it belongs to. */
    private Optional<String> owner(String table, String alias, Set<String> before) {
        if (!tables.containsKey(table) || !before.add(table)) {
            return Optional.empty();
        }
        if (OWNERS_OF.containsKey(table)) {
            return Optional.of(OWNERS_OF.get(table).replaceFirst("\\b(id|key)\\b", alias + ".$1"));
        }
        var ids = List.of(column(table, "ids"));
        return OWNERS.stream()
                .filter(ids::contains)
                .findFirst()
                .map(name -> alias + "." + name)
                .or(() -> references.getOrDefault(table, List.of()).stream()
                        .flatMap(one -> ofParent(one, alias, before).stream())
                        .findFirst());
    }

    private Optional<String> ofParent(Reference one, String child, Set<String> before) {
        String parent = child + "p";
        return owner(one.table, parent, before)
                .map(owner -> "(SELECT %s FROM %s AS %s WHERE %s.%s = %s.%s)"
                        .formatted(owner, one.table, parent, parent, one.column, child, one.member));
    }

    /** Looks at the tables only where something was written since the last time. */
    Snapshot read(Scope scope) {
        if (!scope.equals(lastScope) || !transactions().equals(last.transactions)) {
            last = readTables(scope);
            lastScope = scope;
        }
        var digests = new TreeMap<>(last.digests);
        digests.put(TEMPLATES, files());
        return new Snapshot(last.transactions, digests);
    }

    private String transactions() {
        return database.query("SELECT pg_current_snapshot()::text")
                .execute()
                .await()
                .iterator()
                .next()
                .getString(0);
    }

    private Snapshot readTables(Scope scope) {
        var digests = new TreeMap<String, String>();
        database.preparedQuery("SELECT of_table, of_rows FROM public.stored_outside($1, $2, $3)")
                .execute(scope.tuple())
                .await()
                .forEach(row -> digests.put(row.getString("of_table"), row.getString("of_rows")));
        String transactions = digests.remove("");
        if (transactions == null) {
            throw new IllegalStateException("nobody said which transactions are seen");
        }
        return new Snapshot(transactions, digests);
    }

    private String files() {
        try (var found = Files.walk(templates)) {
            return found.map(Path::toFile)
                    .filter(File::isFile)
                    .map(file -> "%s %d %d".formatted(file, file.length(), file.lastModified()))
                    .sorted()
                    .collect(Collectors.joining("\n"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** For people: how a table differs, with the rows that were written since. */
    String difference(String table, Snapshot before, Snapshot after, Set<UUID> theirs) {
        if (!tables.containsKey(table)) {
            return "%s: %s instead of %s".formatted(table, after.digest(table), before.digest(table));
        }
        String rows = database.preparedQuery("""
                        SELECT coalesce(string_agg(left(%s, 500), E'\\n'), '') AS rows FROM %s AS t
                        WHERE %s AND t.xmin::text::bigint >= $2
                        """.formatted(text(table), table, isOutside(table, "$1::uuid[]")))
                .execute(ids(theirs).addLong(before.xid()))
                .await()
                .iterator()
                .next()
                .getString("rows");
        return "%s: %s instead of %s%n%s".formatted(table, after.digest(table), before.digest(table), rows);
    }

    List<Node> workspaces() {
        return database.query("SELECT id, parent_id, tenant FROM registry.workspaces").execute().await().stream()
                .map(row -> new Node(row.getUUID("id"), row.getUUID("parent_id"), row.getString("tenant")))
                .toList();
    }

    /** Whatever ends what may be done at these workspaces, or takes them elsewhere. */
    String standing(Set<UUID> workspaces) {
        return database.preparedQuery("""
                        SELECT string_agg(concat_ws(' ', id, parent_id, tenant, desired, quarantined, status = 'removed'), ',' ORDER BY id)
                            AS standing
                        FROM registry.workspaces WHERE id = ANY ($1)
                        """)
                .execute(ids(workspaces))
                .await()
                .iterator()
                .next()
                .getString("standing");
    }

    /** As a service tells something in the log. */
    void tell(String type, UUID workspace, JsonObject payload) {
        database.preparedQuery("SELECT log.append($1, $2, $3)")
                .execute(Tuple.of(type, workspace, payload))
                .await();
    }

    /** The row of the inbox about a delegation. */
    Optional<String> inboxRow(String delegation) {
        return database
                .preparedQuery("SELECT id FROM events.inbox WHERE details ->> 'delegation_id' = $1")
                .execute(Tuple.of(delegation))
                .await()
                .stream()
                .map(row -> row.getUUID("id").toString())
                .findFirst();
    }

    private static Tuple ids(Set<UUID> workspaces) {
        return Tuple.tuple().addArrayOfUUID(workspaces.toArray(UUID[]::new));
    }
}
