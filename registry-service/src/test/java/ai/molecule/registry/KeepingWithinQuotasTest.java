package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.SeedMemories;
import ai.molecule.registry.RunningRegistry.Answer;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What one workspace may keep, here little of each kind. */
class KeepingWithinQuotasTest {

    private static final String TOO_MANY_MEMORIES =
            "507 {\"error\":\"a workspace keeps at most 5 memories and 1000 bytes of them: delete some first\"}";
    private static final String TOO_MANY_KEYS =
            "507 {\"error\":\"a workspace keeps at most 4 keys and 1000 bytes of them: delete some first\"}";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start(
                "MOLECULE_MEMORIES_MAX", "5",
                "MOLECULE_MEMORIES_MAX_BYTES", "1000",
                "MOLECULE_MEMORY_KEYS_MAX", "4",
                "MOLECULE_MEMORY_KEYS_MAX_BYTES", "1000",
                "MOLECULE_CONFIG_MAX_BYTES", "100");
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void memories_at_once_never_exceed_it_together() {
        String id = registry.create("Author");

        var answers = atOnce(12, i -> remember(id, "memory " + i));

        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(5);
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 201)
                .allSatisfy(answer -> assertThat(answer).hasToString(TOO_MANY_MEMORIES));
        var kept = registry.get(memories(id), ADMIN).json();
        assertThat(kept).hasSize(5);
        registry.delete(memories(id) + "/" + kept.get(0).path("id").asText(), ADMIN);
        assertThat(remember(id, "in its place").status()).isEqualTo(201);
        assertThat(remember(registry.create("Other"), "of somebody else").status())
                .isEqualTo(201);
    }

    @Test
    void bytes_of_memories_count_too() {
        String id = registry.create("Author");

        assertThat(remember(id, "x ".repeat(400)).status()).isEqualTo(201);
        assertThat(remember(id, "ü ".repeat(100))).hasToString(TOO_MANY_MEMORIES);
        assertThat(remember(id, "x ".repeat(100)).status()).isEqualTo(201);
    }

    @Test
    void seeds_count_and_are_stored_all_or_none() {
        String id = registry.create("Author");
        var six = IntStream.range(0, 6)
                .mapToObj(i -> new SeedMemories.Seed(UUID.randomUUID(), "seed " + i, "LOCAL", null))
                .toList();

        var refused = registry.bus.call(SeedMemories.CONTRACT, new SeedMemories(UUID.fromString(id), six));

        assertThat(refused.transform(done -> io.vertx.core.Future.succeededFuture(done.cause()))
                        .await())
                .hasMessageContaining("at most 5 memories");
        assertThat(registry.get(memories(id), ADMIN)).hasToString("200 []");
        var five = new SeedMemories(UUID.fromString(id), six.subList(0, 5));
        registry.bus.call(SeedMemories.CONTRACT, five).await();
        registry.bus.call(SeedMemories.CONTRACT, five).await();
        assertThat(registry.get(memories(id), ADMIN).json()).hasSize(5);
    }

    @Test
    void keys_at_once_never_exceed_it_together_and_those_there_may_change() {
        String id = registry.create("Owner");

        var answers = atOnce(12, i -> put(id, "k" + i, "1", ""));

        assertThat(answers).filteredOn(answer -> answer.status() == 200).hasSize(4);
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 200)
                .allSatisfy(answer -> assertThat(answer).hasToString(TOO_MANY_KEYS));
        String kept = registry.get(keys(id), ADMIN).json().get(0).path("key").asText();
        assertThat(put(id, kept, "2", "").status()).isEqualTo(200);
        assertThat(put(id, kept, text(1_000), "")).hasToString(TOO_MANY_KEYS);
        assertThat(registry.get(keys(id) + "/" + kept, ADMIN).text("value")).isEqualTo("2");
        registry.delete(keys(id) + "/" + kept, ADMIN);
        assertThat(put(id, "in-its-place", text(900), "").status()).isEqualTo(200);
        assertThat(put(id, "in-its-place", text(10), "").status()).isEqualTo(200);
        assertThat(registry.sql(
                                "SELECT row_count, byte_count FROM storage_usage WHERE workspace_id = $1",
                                UUID.fromString(id))
                        .iterator()
                        .next()
                        .getLong("byte_count"))
                .isEqualTo(registry.sql(
                                "SELECT sum(octet_length(key) + octet_length(value)) FROM key_values WHERE workspace_id = $1",
                                UUID.fromString(id))
                        .iterator()
                        .next()
                        .getLong(0));
    }

    @Test
    void expired_keys_make_room() {
        String id = registry.create("Owner");
        for (int i = 0; i < 4; i++) {
            put(id, "k" + i, "1", ",\"ttl_seconds\":-1");
        }

        assertThat(put(id, "fresh", "1", "").status()).isEqualTo(200);
        assertThat(registry.get(keys(id), ADMIN).json().findValuesAsText("key")).containsExactly("fresh");
    }

    @Test
    void a_config_has_its_bytes() {
        String path = "/workspaces/" + registry.create("Agent") + "/config";

        assertThat(registry.patch(path, "{\"a\":%s}".formatted(text(60)), ADMIN).status())
                .isEqualTo(200);
        assertThat(registry.patch(path, "{\"b\":%s}".formatted(text(60)), ADMIN).status())
                .isEqualTo(413);
        assertThat(registry.patch(path, "{\"a\":%s}".formatted(text(70)), ADMIN).status())
                .isEqualTo(200);
    }

    @Test
    void what_a_purged_workspace_kept_counts_no_more() {
        String id = registry.create("Gone");
        remember(id, "c");
        put(id, "k", "1", "");

        registry.delete("/workspaces/" + id + "?confirm=true&purge=true", ADMIN);

        assertThat(registry.sql("SELECT FROM storage_usage WHERE workspace_id = $1", UUID.fromString(id)))
                .isEmpty();
    }

    private static List<Answer> atOnce(int times, IntFunction<Answer> request) {
        return IntStream.range(0, times)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> request.apply(i), task -> Thread.ofVirtual().start(task)))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();
    }

    private static String text(int length) {
        return "\"" + "x".repeat(length) + "\"";
    }

    private static Answer remember(String id, String content) {
        return registry.post(memories(id), "{\"content\":\"%s\",\"scope\":\"LOCAL\"}".formatted(content), ADMIN);
    }

    private static Answer put(String id, String key, String value, String more) {
        return registry.post(keys(id), "{\"key\":\"%s\",\"value\":%s%s}".formatted(key, value, more), ADMIN);
    }

    private static String memories(String id) {
        return "/workspaces/" + id + "/memories";
    }

    private static String keys(String id) {
        return "/workspaces/" + id + "/memory";
    }
}
