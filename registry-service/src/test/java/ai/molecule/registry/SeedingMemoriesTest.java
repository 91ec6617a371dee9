package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.registry.SearchMemories;
import ai.molecule.common.bus.registry.SearchMemories.Hit;
import ai.molecule.common.bus.registry.SeedMemories;
import ai.molecule.common.bus.registry.SeedMemories.Outcome;
import ai.molecule.common.bus.registry.SeedMemories.Seed;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memories that a workspace starts with, and the search of the events service through them. */
class SeedingMemoriesTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void a_workspace_starts_with_what_it_is_given() {
        String items = """
                {"content":"first"}, {"content":"A_TOKEN=x","scope":"team"}, {"content":"[MEMORY x","scope":"Global"},
                {"content":"no such","scope":"ALL"}, {"content":""}, {"scope":"TEAM"}, {"content":null}, null""";
        String id = registry.create("Seeded", "\"initial_memories\":[%s]".formatted(items));

        assertThat(memories(id))
                .extracting(memory -> memory.path("scope").asText() + " "
                        + memory.path("content").asText())
                .satisfiesExactly(
                        global -> assertThat(global)
                                .startsWith("GLOBAL [MEMORY id=")
                                .endsWith("]: [_MEMORY x"),
                        team -> assertThat(team).isEqualTo("TEAM [REDACTED:TOKEN]"),
                        local -> assertThat(local).isEqualTo("LOCAL first"));
        assertThat(memories(id))
                .allMatch(memory -> memory.path("namespace").asText().equals("workspace:" + id));
    }

    @Test
    void what_is_too_long_to_start_with_is_cut_between_characters() {
        String id = registry.create(
                "Seeded", "\"initial_memories\":[{\"content\":\"%s\"}]".formatted("ab €".repeat(20_000)));

        String content = memories(id).get(0).path("content").asText();

        assertThat(content.length()).isEqualTo(66_667);
        assertThat(content.substring(66_660)).isEqualTo("ab €ab ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "\"x\"",
                "7",
                "[7]",
                "[[]]",
                "[{\"content\":7}]",
                "[{\"content\":\"c\",\"scope\":{}}]",
                "[{\"content\":\"\\u0000\"}]"
            })
    void initial_memories_of_a_wrong_type_create_nothing(String sent) {
        long before = registry.count("workspaces");

        assertThat(registry.post("/workspaces", "{\"name\":\"a\",\"initial_memories\":%s}".formatted(sent), ADMIN))
                .hasToString("400 {\"error\":\"invalid workspace payload\"}");
        assertThat(registry.count("workspaces")).isEqualTo(before);
    }

    @Test
    void five_hundred_are_enough_to_start_with() {
        String most = "\"initial_memories\":[%s]"
                .formatted(String.join(",", Collections.nCopies(500, "{\"content\":\"c\"}")));

        String id = registry.create("Seeded", most);

        assertThat(registry.sql("SELECT 1 FROM memories WHERE workspace_id = $1", UUID.fromString(id))
                        .size())
                .isEqualTo(500);
        assertThat(registry.post("/workspaces", "{\"name\":\"a\",%s}".formatted(most.replace("[{", "[{},{")), ADMIN))
                .hasToString("400 {\"error\":\"initial_memories must hold at most 500 items\"}");
    }

    @Test
    void seeds_are_stored_once_and_each_is_told_what_became_of_it() {
        String id = registry.create("Imported");
        var seeds = List.of(
                seed("first", null, null),
                seed("second", "global", "law"),
                seed("", null, null),
                seed(null, null, null),
                seed("c", "ALL", null),
                seed("c", null, "n".repeat(51)),
                seed("c\0", null, null));

        assertThat(outcomes(id, seeds))
                .containsExactly(
                        Outcome.STORED,
                        Outcome.STORED,
                        Outcome.SKIPPED,
                        Outcome.SKIPPED,
                        Outcome.SKIPPED,
                        Outcome.SKIPPED,
                        Outcome.SKIPPED);
        assertThat(outcomes(id, seeds.subList(1, 3))).containsExactly(Outcome.PRESENT, Outcome.SKIPPED);
        assertThat(memories(id))
                .extracting(memory -> memory.path("namespace").asText())
                .containsExactly("law", "workspace:" + id);
        assertThat(outcomes(id, List.of())).isEmpty();
    }

    @Test
    void too_many_seeds_and_seeds_for_nobody_are_refused_whole() {
        String id = registry.create("Imported");
        var most =
                IntStream.range(0, 100).mapToObj(index -> seed("c", null, null)).toList();
        var tooMany =
                IntStream.range(0, 101).mapToObj(index -> seed("c", null, null)).toList();

        assertThat(outcomes(id, most)).containsOnly(Outcome.STORED);
        assertThatThrownBy(() -> outcomes(id, tooMany)).hasMessage("at most 100 memories at once");
        assertThatThrownBy(() -> outcomes(UUID.randomUUID().toString(), most)).hasMessage("workspace not found");
    }

    @Test
    void a_session_search_finds_ones_own_by_any_part_of_text_or_scope() {
        String id = registry.create("Searcher");
        String child = registry.child("Child", id);
        outcomes(
                id,
                List.of(
                        seed("Deploy on Monday", null, null),
                        seed("50% done", "TEAM", null),
                        seed("law", "GLOBAL", null)));
        outcomes(child, List.of(seed("Deploy on Tuesday", "TEAM", null)));

        assertThat(search(id, "PLOY", 50)).extracting(Hit::content).containsExactly("Deploy on Monday");
        assertThat(search(id, " team ", 50)).extracting(Hit::content).containsExactly("50% done");
        assertThat(search(id, null, 50))
                .extracting(Hit::content)
                .containsExactly("law", "50% done", "Deploy on Monday");
        assertThat(search(id, "", 50)).extracting(Hit::scope).containsExactly("GLOBAL", "TEAM", "LOCAL");
        assertThat(search(id, "", 2)).hasSize(2);
        assertThat(search(id, "", -5)).hasSize(1);
        assertThat(search(id, "", Integer.MAX_VALUE)).hasSize(3);
        for (String odd : List.of("\\", "%\\", "\0", "'", "tues%day")) {
            assertThat(search(id, odd, 50)).as(odd).isEmpty();
        }
        assertThat(search(UUID.randomUUID().toString(), "", 50)).isEmpty();
    }

    @Test
    void a_reply_holds_four_mebibytes_at_most() {
        String id = registry.create("Searcher");
        String large = "word ".repeat(19_000);
        outcomes(
                id,
                IntStream.range(0, 50)
                        .mapToObj(index -> seed(large, null, null))
                        .toList());

        assertThat(search(id, "", 200)).hasSize(44);
    }

    private static Seed seed(@Nullable String content, @Nullable String scope, @Nullable String namespace) {
        return new Seed(UUID.randomUUID(), content, scope, namespace);
    }

    private static List<Outcome> outcomes(String id, List<Seed> seeds) {
        return registry.bus
                .call(SeedMemories.CONTRACT, new SeedMemories(UUID.fromString(id), seeds))
                .await()
                .outcomes();
    }

    private static List<Hit> search(String id, @Nullable String text, int limit) {
        return registry.bus
                .call(SearchMemories.CONTRACT, new SearchMemories(UUID.fromString(id), text, limit))
                .await()
                .hits();
    }

    private static JsonNode memories(String id) {
        return registry.get("/workspaces/" + id + "/memories", ADMIN).json();
    }
}
