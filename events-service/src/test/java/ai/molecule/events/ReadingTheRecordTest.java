package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.audit.AuditChainCheck;
import ai.molecule.common.audit.AuditChainCheck.KnownHead;
import ai.molecule.common.audit.AuditChainCheck.Outcome;
import ai.molecule.common.audit.AuditChainCheck.Signed;
import ai.molecule.common.bus.registry.SignAuditHead;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code GET /audit}, its chain, and what becomes of the chain when rows are tampered with and leaders die. */
@ExtendWith(VertxExtension.class)
class ReadingTheRecordTest {

    private static final UUID AGENT = UUID.randomUUID();

    @SuppressWarnings("NullAway.Init")
    private EventsFixture events;

    @BeforeEach
    void start(Vertx vertx) {
        events = EventsFixture.start(vertx);
    }

    @AfterEach
    void stop() {
        events.stop();
    }

    @Test
    void what_was_done_is_listed_newest_first_with_its_link_and_page_by_page() {
        done(5);

        var newest = events.json("/audit?limit=2");
        var older = events.json("/audit?limit=2&before=" + newest.path("cursor").asLong());

        assertThat(positions(newest)).containsExactly(5L, 4L);
        assertThat(positions(older)).containsExactly(3L, 2L);
        assertThat(newest.path("entries").path(0).path("object").asText()).isEqualTo("object-5");
        assertThat(newest.path("entries").path(0).path("hash").asText()).hasSize(64);
        assertThat(newest.path("chain").path("seq").asLong()).isEqualTo(5);
        assertThat(events.json("/audit?limit=5&before=2").path("cursor").isNull())
                .isTrue();
    }

    @Test
    void each_filter_leaves_what_it_names() {
        done(2);
        append("secret.read", UUID.randomUUID(), "K", "{\"kind\":\"workspace\",\"name\":\"w\"}");
        linked(3);

        assertThat(positions(events.json("/audit?verb=secret"))).containsExactly(3L);
        assertThat(positions(events.json("/audit?verb=secret.read"))).containsExactly(3L);
        assertThat(positions(events.json("/audit?verb=sec"))).isEmpty();
        assertThat(positions(events.json("/audit?actor=w"))).containsExactly(3L);
        assertThat(positions(events.json("/audit?kind=workspace"))).containsExactly(3L);
        assertThat(positions(events.json("/audit?object=K"))).containsExactly(3L);
        assertThat(positions(events.json("/audit?workspace_id=" + AGENT))).containsExactly(2L, 1L);
        assertThat(positions(events.json("/audit?to=2000-01-01T00:00:00Z"))).isEmpty();
        assertThat(positions(events.json("/audit?from=2000-01-01T00:00:00Z"))).hasSize(3);
        assertThat(events.get("/audit?from=yesterday")).startsWith("400 ");
    }

    @Test
    void existing_clients_read_the_record_of_one_workspace() {
        String path = "/workspaces/" + AGENT + "/audit";
        assertThat(events.get(path))
                .isEqualTo("200 {\"events\":null,\"total\":0,\"chain_valid\":null,\"entries\":[],\"cursor\":null}");
        done(3);

        var body = events.json(path + "?limit=2");

        assertThat(body.path("total").asInt()).isEqualTo(3);
        assertThat(body.path("chain_valid").asBoolean()).isTrue();
        assertThat(body.path("events")).isEqualTo(body.path("entries")).hasSize(2);
        assertThat(events.json(path + "?offset=1").path("chain_valid").isNull()).isTrue();
        tamper("UPDATE log.audit SET entry = replace(entry, 'object-2', 'object-X') WHERE seq = 2");
        assertThat(events.json(path).path("chain_valid").asBoolean(true)).isFalse();
    }

    @Test
    void an_agent_learns_who_acted_but_not_from_where() {
        String token = events.organisation.tokenFor(AGENT);
        append(
                "token.created",
                AGENT,
                "t",
                "{\"kind\":\"administrator\",\"name\":\"admin-token\",\"address\":\"10.1.2.3\"}");

        String own = events.get("/workspaces/" + AGENT + "/audit", "Authorization", "Bearer " + token);

        assertThat(own).startsWith("200 ").contains("admin-token").doesNotContain("10.1.2.3");
        assertThat(events.get("/audit")).contains("10.1.2.3");
    }

    @Test
    void the_whole_record_is_exported_and_checked_without_the_platform() throws IOException {
        done(1_203);

        var lines = export();

        assertThat(lines).hasSize(1_204);
        assertThat(check(lines, null))
                .isEqualTo(new Outcome(
                        true, "Every row up to 1203 is there and as it was recorded.", 1_203, 0, new Signed(0, 0)));
        assertThat(events.get("/audit?verb=x", "Accept", "application/jsonl")).startsWith("400 ");
    }

    @Test
    void an_altered_row_is_found() throws IOException {
        done(6);

        tamper("UPDATE log.audit SET entry = replace(entry, 'object-4', 'object-X') WHERE seq = 4");

        assertThat(check(export(), null).says()).startsWith("Row 4 is not what was recorded after row 3");
    }

    @Test
    void a_row_that_was_altered_and_linked_anew_is_found_at_the_next() throws IOException {
        done(6);

        tamper("UPDATE log.audit SET entry = replace(entry, 'object-4', 'object-X') WHERE seq = 4");
        tamper(
                "UPDATE log.audit AS row SET hash = log.audit_hash((SELECT hash FROM log.audit WHERE seq = 3), 4, entry) WHERE seq = 4");

        assertThat(check(export(), null).says()).startsWith("Row 5 is not what was recorded after row 4");
    }

    @Test
    void a_chain_that_was_linked_anew_to_its_end_is_found_by_an_end_that_somebody_knew() throws IOException {
        done(4);
        var before = check(export(), null);
        var head = events.json("/audit").path("chain");
        var known = new KnownHead(4, head.path("hash").asText());

        tamper("UPDATE log.audit SET entry = replace(entry, 'object-2', 'object-X') WHERE seq = 2");
        for (int seq = 2; seq <= 4; seq++) {
            tamper(
                    "UPDATE log.audit SET hash = log.audit_hash((SELECT hash FROM log.audit WHERE seq = %d), seq, entry) WHERE seq = %d"
                            .formatted(seq - 1, seq));
        }
        tamper("UPDATE log.audit_chain SET hash = (SELECT hash FROM log.audit WHERE seq = 4)");

        assertThat(before.isWhole()).isTrue();
        assertThat(check(export(), null).isWhole()).isTrue();
        assertThat(check(export(), known).says()).startsWith("Row 4 has another hash than it had");
    }

    @Test
    void a_removed_row_is_found_wherever_it_was() throws IOException {
        done(6);
        var whole = export();

        for (int gone = 1; gone <= 6; gone++) {
            var lines = new ArrayList<>(whole);
            lines.remove(gone);
            assertThat(check(lines, null).says()).startsWith("Row %d is missing".formatted(gone));
        }
        tamper("DELETE FROM log.audit WHERE seq = 3");
        assertThat(check(export(), null).says()).isEqualTo("Row 3 is missing: row 4 follows row 2.");
    }

    @Test
    void reordered_rows_are_found_by_their_place_and_by_their_text() throws IOException {
        done(6);
        var lines = export();
        Collections.swap(lines, 3, 4);

        tamper("""
                UPDATE log.audit AS row SET entry = other.entry FROM log.audit AS other
                WHERE row.seq IN (2, 3) AND other.seq IN (2, 3) AND row.seq <> other.seq
                """);

        assertThat(check(lines, null).says()).startsWith("Row 3 is missing: row 4 follows row 2");
        assertThat(check(export(), null).says()).startsWith("Row 2 is not what was recorded after row 1");
    }

    @Test
    void no_statement_of_ours_alters_or_removes_what_was_recorded() {
        done(1);

        for (String statement : List.of(
                "UPDATE log.audit SET entry = '{}'", "UPDATE log.audit SET hash = 'x'", "DELETE FROM log.audit")) {
            assertThatThrownBy(() -> sql(statement)).hasMessageContaining("what was recorded stays as it is");
        }
    }

    @Test
    void what_is_too_old_is_forgotten_and_the_rest_still_proves_itself() throws IOException {
        done(6);
        tamper("UPDATE log.audit SET at = now() - interval '401 days' WHERE seq <= 4");

        int forgotten = sql("SELECT log.forget_audit(now() - interval '400 days', 3)")
                .iterator()
                .next()
                .getInteger(0);
        sql("SELECT log.forget_audit(now() - interval '400 days', 3)");
        var rest = export();

        assertThat(forgotten).isEqualTo(3);
        assertThat(rest).hasSize(3);
        assertThat(Json.stored(rest.getFirst()).path("chain").path("base_seq").asLong())
                .isEqualTo(4);
        assertThat(check(rest, null).isWhole()).isTrue();
        assertThat(events.json("/workspaces/" + AGENT + "/audit")
                        .path("chain_valid")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void rows_that_wait_for_their_link_are_listed_first_and_counted() {
        done(2);
        sql("UPDATE log.sequencer_term SET holder = gen_random_uuid(), until = 'infinity'");
        append("x.done", AGENT, "waits", "{\"kind\":\"platform\",\"name\":\"test\"}");

        var listed = events.json("/audit");

        assertThat(listed.path("chain").path("waiting").asInt()).isEqualTo(1);
        assertThat(listed.path("entries").path(0).path("seq").isNull()).isTrue();
        assertThat(listed.path("entries").path(0).path("object").asText()).isEqualTo("waits");
    }

    @Test
    void two_leaders_to_be_link_one_chain() throws IOException {
        var replica = events.replica();
        done(400);
        replica.stop();
        append("x.done", AGENT, "after", "{\"kind\":\"platform\",\"name\":\"test\"}");
        linked(401);

        assertThat(check(export(), null).isWhole()).isTrue();
    }

    @Test
    void whoever_holds_no_term_links_nothing() {
        sql("UPDATE log.sequencer_term SET holder = gen_random_uuid(), until = 'infinity'");
        append("x.done", AGENT, "waits", "{\"kind\":\"platform\",\"name\":\"test\"}");

        int linked = sql("SELECT log.link_audit(gen_random_uuid(), 500)")
                .iterator()
                .next()
                .getInteger(0);

        assertThat(linked).isZero();
        assertThat(sql("SELECT 1 FROM log.audit WHERE seq IS NOT NULL").size()).isZero();
    }

    /** Its end is known to nobody but the server: before it links, when all links are made, and after they were committed. */
    @Test
    void a_leader_that_is_killed_at_any_step_leaves_a_chain_that_goes_on() throws IOException {
        done(3);
        var leader = UUID.randomUUID();
        sql("UPDATE log.sequencer_term SET holder = '%s', until = 'infinity'".formatted(leader));
        append("x.done", AGENT, "object-4", "{\"kind\":\"platform\",\"name\":\"test\"}");

        for (boolean linksFirst : new boolean[] {false, true}) {
            var dying = events.pool.getConnection().await();
            dying.begin().await();
            int process = dying.query("SELECT pg_backend_pid()")
                    .execute()
                    .await()
                    .iterator()
                    .next()
                    .getInteger(0);
            if (linksFirst) {
                dying.query("SELECT log.link_audit('%s', 500)".formatted(leader))
                        .execute()
                        .await();
            }
            sql("SELECT pg_terminate_backend(" + process + ")");
        }
        assertThat(sql("SELECT 1 FROM log.audit WHERE seq IS NULL").size()).isEqualTo(1);
        sql("SELECT log.link_audit('%s', 500)".formatted(leader));
        sql("UPDATE log.sequencer_term SET until = '-infinity'");
        append("x.done", AGENT, "object-5", "{\"kind\":\"platform\",\"name\":\"test\"}");
        linked(5);

        assertThat(check(export(), null).rows()).isEqualTo(5);
        assertThat(check(export(), null).isWhole()).isTrue();
    }

    /** As while a backup reads: a row leaves an entry in the index of what waits for its link, which nobody may clear away yet. */
    @Test
    void while_an_old_snapshot_is_open_a_look_for_rows_to_link_reads_no_more_than_before_it() {
        var backup = events.pool.getConnection().await();
        backup.query("BEGIN ISOLATION LEVEL REPEATABLE READ").execute().await();
        backup.query("SELECT count(*) FROM log.audit").execute().await();
        done(2_000);

        await().until(() -> {
            append("x.done", AGENT, "later", "{\"kind\":\"platform\",\"name\":\"test\"}");
            return sql("SELECT 1 FROM log.audit_chain WHERE linked_to >= 2000").size() > 0;
        });

        assertThat(pagesRead("SELECT log.link_audit(gen_random_uuid(), 500)")).isLessThan(50);
        assertThat(pagesRead("SELECT count(*) FROM log.audit WHERE seq IS NULL"))
                .as("without a lower bound")
                .isGreaterThan(50);
        backup.query("ROLLBACK").execute().await();
        backup.close().await();
    }

    /** Of the second time on a connection, which knows then what the statement is made of. */
    private long pagesRead(String statement) {
        var connection = events.pool.getConnection().await();
        connection.query(statement).execute().await();
        var plan = connection
                .query("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement)
                .execute()
                .await()
                .iterator()
                .next()
                .getValue(0);
        connection.close().await();
        var root = Json.stored(plan.toString()).path(0).path("Plan");
        return root.path("Shared Hit Blocks").asLong()
                + root.path("Shared Read Blocks").asLong();
    }

    @Test
    void an_end_of_the_chain_is_signed_and_then_nobody_links_it_anew_unnoticed() throws IOException {
        events.bus
                .serve(
                        SignAuditHead.CONTRACT,
                        head -> Future.succeededFuture(new SignAuditHead.Signed(head.seq() + " " + head.hash())))
                .await();
        done(3);
        await().until(() -> sql("SELECT 1 FROM log.audit_heads").size() > 0);
        List<String> record = export();

        var right = signed(record);
        assertThat(right.isWhole()).as(right.says()).isTrue();
        assertThat(right.signed().last()).isPositive();
        assertThat(signed(record.stream()
                        .filter(line -> !line.contains("\"head\""))
                        .toList()))
                .matches(outcome -> !outcome.isWhole())
                .extracting(Outcome::says)
                .asString()
                .startsWith("No end of it is signed");
        assertThat(signed(linkedAnew(record)))
                .matches(outcome -> !outcome.isWhole())
                .extracting(Outcome::says)
                .asString()
                .contains("than the platform signed");
    }

    /** As somebody does who rules over the database and knows how links are made, but has not the key. */
    private static List<String> linkedAnew(List<String> record) {
        List<String> anew = new ArrayList<>();
        String hash = "0".repeat(64);
        for (String line : record) {
            var row = (ObjectNode) Json.stored(line);
            if (row.has("entry")) {
                String entry = row.path("entry").asText().replace("object-1", "object-X");
                hash = AuditChainCheck.link(hash, row.path("seq").asLong(), entry);
                anew.add(Json.text(row.put("entry", entry).put("hash", hash)));
            } else {
                anew.add(line);
            }
        }
        var chain = (ObjectNode) Json.stored(anew.getFirst());
        ((ObjectNode) chain.path("chain")).put("hash", hash);
        anew.set(0, Json.text(chain));
        return anew;
    }

    private static Outcome signed(List<String> lines) throws IOException {
        return AuditChainCheck.of(
                new BufferedReader(new StringReader(String.join("\n", lines))),
                null,
                jws -> new KnownHead(Long.parseLong(jws.split(" ")[0]), jws.split(" ")[1]));
    }

    private void done(int rows) {
        for (int i = 1; i <= rows; i++) {
            append("x.done", AGENT, "object-" + i, "{\"kind\":\"administrator\",\"name\":\"test\"}");
        }
        linked(rows);
    }

    private void linked(int rows) {
        await().until(() -> sql("SELECT 1 FROM log.audit WHERE seq IS NOT NULL").size() == rows);
    }

    private void append(String verb, UUID workspace, String object, String who) {
        events.pool
                .preparedQuery("SELECT log.append_audit($1, $2, $3, 'done', NULL, '{}', $4::text::jsonb)")
                .execute(Tuple.of(verb, workspace, object, who))
                .await();
    }

    private RowSet<Row> sql(String statement) {
        return events.pool.query(statement).execute().await();
    }

    /** As somebody does who rules over the database. */
    private void tamper(String statement) {
        sql("ALTER TABLE log.audit DISABLE TRIGGER USER");
        sql(statement);
        sql("ALTER TABLE log.audit ENABLE TRIGGER USER");
    }

    private List<String> export() {
        var answer = events.request(HttpMethod.GET, "/audit", null, "Accept", "application/jsonl");
        return new ArrayList<>(answer.bodyAsString().lines().toList());
    }

    private static Outcome check(List<String> lines, @Nullable KnownHead known) throws IOException {
        return AuditChainCheck.of(new BufferedReader(new StringReader(String.join("\n", lines))), known, null);
    }

    private static List<Long> positions(JsonNode body) {
        List<Long> positions = new ArrayList<>();
        body.path("entries").forEach(entry -> positions.add(entry.path("seq").asLong()));
        return positions;
    }
}
