package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.config.Env;
import ai.molecule.common.json.Json;
import ai.molecule.registry.RunningRegistry.Answer;
import ai.molecule.registry.keyvalues.KeyValueService;
import ai.molecule.registry.keyvalues.PgKeyValueStore;
import ai.molecule.registry.quotas.Quota;
import ai.molecule.registry.quotas.Quotas;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /workspaces/:id/memory}. */
class KeepingKeyValuesTest {

    private static final MovableClock CLOCK = new MovableClock();
    private static final Quota QUOTA = Quotas.fromEnv(new Env(Map.of())).keyValues();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private String path;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startAt(CLOCK);
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @BeforeEach
    void createOwner() {
        path = "/workspaces/" + registry.create("Owner") + "/memory";
    }

    @Test
    void a_value_comes_back_as_it_was_sent_and_every_write_counts_up() {
        String value = "{\"z\":1.10,\"a\":[null,1e300,\"ü\"]}";

        assertThat(put("\"key\":\"plan/a b\",\"value\":" + value))
                .hasToString("200 {\"status\":\"ok\",\"key\":\"plan/a b\",\"version\":1}");
        assertThat(put("\"KEY\":\"none\",\"value\":null"))
                .hasToString("200 {\"status\":\"ok\",\"key\":\"none\",\"version\":1}");

        var kept = get("/plan%2Fa%20b");
        assertThat(kept.body())
                .startsWith(
                        "{\"key\":\"plan/a b\",\"value\":{\"z\":1.10,\"a\":[null,1E+300,\"ü\"]},\"version\":1,\"updated_at\":\"20");
        assertThat(kept.json().has("expires_at")).isFalse();
        assertThat(get("").json()).extracting(one -> one.path("key").asText()).containsExactly("none", "plan/a b");
        assertThat(put("\"key\":\"none\",\"value\":2").json().path("version").asInt())
                .isEqualTo(2);
        assertThat(get("?after=none").json()).hasSize(1);
    }

    @Test
    void a_deleted_key_is_gone_and_deleting_is_always_fine() {
        put("\"key\":\"k\",\"value\":1");

        assertThat(delete("/k")).hasToString("200 {\"status\":\"deleted\"}");
        assertThat(delete("/k")).hasToString("200 {\"status\":\"deleted\"}");
        assertThat(get("/k")).hasToString("404 {\"error\":\"key not found\"}");
        assertThat(get("")).hasToString("200 []");
        assertThat(put("\"key\":\"k\",\"value\":1").json().path("version").asInt())
                .isEqualTo(1);
    }

    @Test
    void a_guarded_write_wants_the_current_version() {
        assertConflict(put("\"key\":\"k\",\"value\":1,\"if_match_version\":3"), ": key does not exist", "3", "null");
        assertThat(get("")).hasToString("200 []");
        assertThat(put("\"key\":\"k\",\"value\":1,\"if_match_version\":0")
                        .json()
                        .path("version")
                        .asInt())
                .isEqualTo(1);
        assertConflict(put("\"key\":\"k\",\"value\":2,\"if_match_version\":0"), "", "0", "1");
        assertThat(put("\"key\":\"k\",\"value\":3,\"if_match_version\":1")
                        .json()
                        .path("version")
                        .asInt())
                .isEqualTo(2);
        assertConflict(put("\"key\":\"k\",\"value\":4,\"if_match_version\":1"), "", "1", "2");
        assertConflict(put("\"key\":\"k\",\"value\":4,\"if_match_version\":-1"), "", "-1", "2");
        assertThat(get("/k").json().path("value").asInt()).isEqualTo(3);
    }

    @Test
    void of_many_writers_that_expect_the_same_version_exactly_one_wins() {
        int writers = 24;
        int rounds = 8;
        for (int version = 0; version < rounds; version++) {
            String guarded = "\"key\":\"race\",\"value\":%%d,\"if_match_version\":%d".formatted(version);
            var answers = atOnce(IntStream.range(0, writers)
                    .<Callable<Answer>>mapToObj(writer -> () -> put(guarded.formatted(writer)))
                    .toList());

            assertThat(answers).filteredOn(answer -> answer.status() == 200).hasSize(1);
            assertThat(answers)
                    .filteredOn(answer -> answer.status() == 409)
                    .hasSize(writers - 1)
                    .allMatch(answer -> answer.json().path("current_version").asInt() > 0);
            assertThat(get("/race").json().path("version").asInt()).isEqualTo(version + 1);
        }
        var unguarded = atOnce(IntStream.range(0, writers)
                .<Callable<Answer>>mapToObj(writer -> () -> put("\"key\":\"race\",\"value\":" + writer))
                .toList());
        assertThat(unguarded)
                .extracting(answer -> answer.json().path("version").asInt())
                .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(rounds + 1, rounds + writers)
                        .boxed()
                        .toList());
    }

    @Test
    void an_expired_key_is_hidden_but_keeps_its_version_for_a_day() {
        put("\"key\":\"k\",\"value\":1,\"ttl_seconds\":60");
        put("\"key\":\"past\",\"value\":1,\"ttl_seconds\":-1");
        assertThat(get("/past").status()).isEqualTo(404);
        assertThat(get("/k").json().path("expires_at").asText())
                .isEqualTo(Json.time(CLOCK.instant().plusSeconds(60)));

        CLOCK.advance(Duration.ofSeconds(60));
        assertThat(get("/k")).hasToString("404 {\"error\":\"key not found\"}");
        assertThat(get("")).hasToString("200 []");
        assertConflict(put("\"key\":\"k\",\"value\":1,\"if_match_version\":0"), "", "0", "1");
        assertThat(put("\"key\":\"past\",\"value\":2").json().path("version").asInt())
                .isEqualTo(2);

        var keyValues = new KeyValueService(new PgKeyValueStore(registry.database, QUOTA), CLOCK);
        keyValues.sweep().await();
        assertConflict(put("\"key\":\"k\",\"value\":1,\"if_match_version\":0"), "", "0", "1");
        CLOCK.advance(Duration.ofDays(1).plusSeconds(1));
        assertThat(keyValues.sweep().await()).isEqualTo(1);
        assertThat(put("\"key\":\"k\",\"value\":1,\"if_match_version\":0")
                        .json()
                        .path("version")
                        .asInt())
                .isEqualTo(1);
        assertThat(get("/past").json().path("value").asInt()).isEqualTo(2);
    }

    @Test
    void one_replica_sweeps_at_a_time() {
        put("\"key\":\"k\",\"value\":1,\"ttl_seconds\":-90000");
        var keyValues = new KeyValueService(new PgKeyValueStore(registry.database, QUOTA), CLOCK);

        int swept = registry.pool
                .withTransaction(other -> other.query("SELECT pg_advisory_xact_lock(66532860)")
                        .execute()
                        .compose(held -> keyValues.sweep()))
                .await();

        assertThat(swept).isZero();
        assertThat(keyValues.sweep().await()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"value\":1|key is required",
                "\"key\":\"\",\"value\":1|key is required",
                "\"key\":null,\"value\":1|key is required",
                "\"key\":7,\"value\":1|invalid request body",
                "\"key\":\"a\\u0000\",\"value\":1|invalid request body",
                "\"key\":\"a\",\"value\":\"\\u0000\"|invalid request body",
                "\"key\":\"a\"|value is required",
                "\"key\":\"a\",\"value\":1e999|invalid request body",
                "\"key\":\"a\",\"value\":1,\"ttl_seconds\":\"1\"|invalid request body",
                "\"key\":\"a\",\"value\":1,\"ttl_seconds\":1.5|invalid request body",
                "\"key\":\"a\",\"value\":1,\"ttl_seconds\":10000000001|ttl_seconds must be between -10000000000 and 10000000000",
                "\"key\":\"a\",\"value\":1,\"if_match_version\":\"1\"|invalid request body",
                "\"key\":\"a\",\"value\":1,\"if_match_version\":99999999999999999999|invalid request body"
            })
    void a_write_that_makes_no_sense_is_refused(String members, String complaint) {
        assertThat(put(members)).hasToString("400 {\"error\":\"%s\"}".formatted(complaint));
        assertThat(get("")).hasToString("200 []");
    }

    @Test
    void limits_are_inclusive() {
        assertThat(put("\"key\":\"%s\",\"value\":1".formatted("ü".repeat(512))).status())
                .isEqualTo(200);
        assertThat(put("\"key\":\"%s\",\"value\":1".formatted("k".repeat(1025))))
                .hasToString("400 {\"error\":\"key must be <= 1024 bytes\"}");
        assertThat(put("\"key\":\"k\",\"value\":1,\"ttl_seconds\":10000000000").status())
                .isEqualTo(200);
        assertThat(put("\"key\":\"k\",\"value\":\"%s\"".formatted("v".repeat(1_048_000)))
                        .status())
                .isEqualTo(200);
        assertThat(put("\"key\":\"k\",\"value\":\"%s\"".formatted("v".repeat(1_048_577)))
                        .status())
                .isEqualTo(413);
        assertThat(get("/%00")).hasToString("400 {\"error\":\"invalid key\"}");
        assertThat(delete("/%00")).hasToString("400 {\"error\":\"invalid key\"}");
    }

    @Test
    void a_page_holds_eight_mebibytes_and_the_rest_follows() {
        String large = "v".repeat(1_000_000);
        for (int key = 0; key < 9; key++) {
            put("\"key\":\"%d\",\"value\":\"%s\"".formatted(key, large));
        }

        var page = get("").json();

        assertThat(page).hasSize(8);
        assertThat(get("?after=7").json()).hasSize(1);
        assertThat(get("?after=8").json()).isEmpty();
    }

    @Test
    void only_an_existing_workspace_keeps_anything() {
        String nowhere = "/workspaces/" + UUID.randomUUID() + "/memory";
        String removed = registry.create("Gone");
        registry.delete("/workspaces/" + removed, ADMIN);

        for (String missing : List.of(nowhere, "/workspaces/" + removed + "/memory")) {
            for (String guard : List.of("", ",\"if_match_version\":0", ",\"if_match_version\":4")) {
                assertThat(registry.post(missing, "{\"key\":\"k\",\"value\":1%s}".formatted(guard), ADMIN))
                        .hasToString("404 {\"error\":\"workspace not found\"}");
            }
        }
        assertThat(registry.get(nowhere, ADMIN)).hasToString("200 []");
        assertThat(registry.get("/workspaces/x/memory", ADMIN)).hasToString("400 {\"error\":\"invalid workspace ID\"}");
        assertThat(registry.get("/workspaces/x/memory/k", ADMIN))
                .hasToString("400 {\"error\":\"invalid workspace ID\"}");
    }

    @Test
    void a_purge_takes_everything_along() {
        String id = registry.create("Purged");
        registry.post("/workspaces/" + id + "/memory", "{\"key\":\"k\",\"value\":1}", ADMIN);

        registry.delete("/workspaces/" + id + "?purge=true", ADMIN);

        assertThat(registry.sql("SELECT 1 FROM key_values WHERE workspace_id = $1", UUID.fromString(id))
                        .size())
                .isZero();
    }

    private static List<Answer> atOnce(List<Callable<Answer>> calls) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            return threads.invokeAll(calls).stream().map(Future::resultNow).toList();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static void assertConflict(Answer answer, String why, String expected, String current) {
        assertThat(answer.status()).isEqualTo(409);
        var body = "{\"error\":\"if_match_version mismatch%s\",\"expected_version\":%s,\"current_version\":%s}";
        assertThat(answer.json()).isEqualTo(Json.stored(body.formatted(why, expected, current)));
    }

    private Answer put(String members) {
        return registry.post(path, "{" + members + "}", ADMIN);
    }

    private Answer get(String rest) {
        return registry.get(path + rest, ADMIN);
    }

    private Answer delete(String rest) {
        return registry.delete(path + rest, ADMIN);
    }
}
