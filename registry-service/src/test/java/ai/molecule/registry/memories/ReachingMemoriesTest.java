package ai.molecule.registry.memories;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.registry.memories.PgMemoryReach.Match;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which memories a reader's statement reaches, and which of others' it has to go through for that. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class ReachingMemoriesTest {

    private ServiceContext service;

    @BeforeEach
    void open(Vertx vertx) {
        service = ServiceContext.open(vertx, TestConfig.platform(), "registry").await();
    }

    @AfterEach
    void close() {
        service.close().await();
    }

    @Test
    void global_memories_of_another_tenant_cost_a_reader_nothing() {
        var other = workspace("alpha", null);
        var reader = workspace("beta", null);
        write(other, "a window of deploys", 5_000);

        for (String text : List.of("", "a", "window", "deploy window")) {
            var query = new MemoryQuery(reader, MemoryScope.GLOBAL, text, null, 50);

            for (var match : Match.values()) {
                assertThat(contents(query, match)).as("%s, %s", text, match).isEmpty();
                assertThat(pagesRead(query, match)).as("%s, %s", text, match).isLessThan(100);
            }
        }
        write(reader, "our window", 1);
        assertThat(contents(new MemoryQuery(reader, MemoryScope.GLOBAL, "window", null, 50)))
                .containsExactly("our window 1");
    }

    @Test
    void global_memories_are_those_of_the_tenant_wherever_their_author_stands_now() {
        var root = workspace("alpha", null);
        var moved = workspace(null, root);
        var elsewhere = workspace("beta", null);
        var nobodys = workspace(null, null);
        write(root, "of the root", 1);
        write(moved, "of the moved", 1);
        write(elsewhere, "of another", 1);
        write(nobodys, "of nobody", 1);

        for (UUID reader : List.of(root, moved)) {
            assertThat(contents(new MemoryQuery(reader, MemoryScope.GLOBAL, "", null, 50)))
                    .containsExactlyInAnyOrder("of the root 1", "of the moved 1");
        }
        assertThat(contents(new MemoryQuery(nobodys, MemoryScope.GLOBAL, "", null, 50)))
                .containsExactly("of nobody 1");
        assertThat(contents(new MemoryQuery(root, MemoryScope.GLOBAL, "", "elsewhere", 50)))
                .isEmpty();
    }

    @Test
    void without_tenants_everybody_reads_the_newest_of_all() {
        var one = workspace(null, null);
        var two = workspace(null, null);
        write(one, "first", 3);
        write(two, "second", 3);

        assertThat(contents(new MemoryQuery(one, MemoryScope.GLOBAL, "", null, 4)))
                .containsExactly("second 3", "second 2", "second 1", "first 3");
    }

    private UUID workspace(@Nullable String tenant, @Nullable UUID parent) {
        var id = UUID.randomUUID();
        sql("""
                INSERT INTO workspaces (id, name, tier, runtime, managed, awareness_namespace, status, status_since, created_at, updated_at,
                    tenant, parent_id)
                VALUES ($1, 'w', 1, 'echo', true, '', 'online', now(), now(), now(), $2, $3)
                """, id, tenant, parent);
        return id;
    }

    private void write(UUID author, String content, int times) {
        sql("""
                INSERT INTO memories (id, workspace_id, scope, namespace, content, created_at)
                SELECT gen_random_uuid(), $1, 'GLOBAL', 'general', $2 || ' ' || n, clock_timestamp()
                FROM generate_series(1, $3::integer) AS n
                """, author, content, times);
    }

    private List<String> contents(MemoryQuery query) {
        return contents(query, Match.ALL_WORDS);
    }

    private List<String> contents(MemoryQuery query, Match match) {
        return sql(
                        PgMemoryReach.statement(query, match),
                        query.readerId(),
                        query.namespace(),
                        query.text(),
                        query.limit())
                .stream()
                .map(row -> row.getString("content"))
                .toList();
    }

    private long pagesRead(MemoryQuery query, Match match) {
        var plan = sql(
                        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + PgMemoryReach.statement(query, match),
                        query.readerId(),
                        query.namespace(),
                        query.text(),
                        query.limit())
                .iterator()
                .next()
                .getValue(0);
        var root = Json.stored(plan.toString()).path(0).path("Plan");
        return root.path("Shared Hit Blocks").asLong()
                + root.path("Shared Read Blocks").asLong();
    }

    private RowSet<Row> sql(String statement, @Nullable Object... parameters) {
        var tuple = Tuple.tuple();
        for (var parameter : parameters) {
            tuple.addValue(parameter);
        }
        return service.pool().preparedQuery(statement).execute(tuple).await();
    }
}
