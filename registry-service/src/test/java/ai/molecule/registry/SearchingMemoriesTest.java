package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.registry.RunningRegistry.Answer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a search of memories finds, in which order, and at whose expense. */
class SearchingMemoriesTest {

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
    void words_are_found_by_their_stem_and_the_best_match_comes_first() {
        String id = registry.create("Author");
        commit(id, "deploys happen on Monday, deploying takes a deploy token", "LOCAL", "");
        commit(id, "we deployed the search service", "LOCAL", ",\"namespace\":\"ops\"");
        commit(id, "50% of the lunches are late", "LOCAL", "");

        assertThat(contents(id, "?q=deploy")).hasSize(2).first().asString().startsWith("deploys happen");
        assertThat(contents(id, "?q=" + encoded("services deployed"))).hasSize(1);
        assertThat(contents(id, "?q=deploy&namespace=ops")).containsExactly("we deployed the search service");
        assertThat(contents(id, "?q=the")).hasSize(2);
        assertThat(contents(id, "?q=%25")).containsExactly("50% of the lunches are late");
        assertThat(contents(id, "?q=_")).isEmpty();
        assertThat(contents(id, "?q=M")).hasSize(1);
        assertThat(contents(id, "?q=&namespace=")).hasSize(3).first().asString().startsWith("50%");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a & b | !c",
                "'quoted' & (",
                "deploy:*",
                "<->",
                "!!!",
                "\\",
                "'",
                "a:b:c",
                "((",
                "* & *",
                "<2> x",
                "💥💥",
                "\uD800",
                "  "
            })
    void a_search_is_never_syntax(String text) {
        String id = registry.create("Author");
        commit(id, "plain words", "LOCAL", "");

        assertThat(list(id, "?q=" + encoded(text))).hasToString("200 []");
        assertThat(list(id, "?scope=TEAM&q=" + encoded(text)).status()).isEqualTo(200);
        assertThat(list(id, "?scope=GLOBAL&q=" + encoded(text)).status()).isEqualTo(200);
    }

    @Test
    void at_most_fifty_come_back_newest_first() {
        String id = registry.create("Author");
        var memories = IntStream.range(0, 60)
                .mapToObj("{\"content\":\"memory %d\"}"::formatted)
                .toList();
        String many = registry.create("Many", "\"initial_memories\":[%s]".formatted(String.join(",", memories)));

        assertThat(list(id, "")).hasToString("200 []");
        assertThat(contents(many, "")).hasSize(50).startsWith("memory 59", "memory 58");
        for (String limit : List.of("0", "-1", "51", "x", "", "99999999999")) {
            assertThat(contents(many, "?limit=" + limit)).as(limit).hasSize(50);
        }
        assertThat(contents(many, "?limit=1")).containsExactly("memory 59");
        assertThat(contents(many, "?limit=50")).hasSize(50);
    }

    /** What might be a path, an address or a compound costs PostgreSQL's parser quadratic time and more: these took it seconds to minutes. */
    @ParameterizedTest
    @ValueSource(strings = {"xX_", "./", "/~", "a-", "a@b.", "&#", "x=1.", "<a", "1e"})
    void ten_memories_of_any_signs_are_as_good_as_others(String signs) {
        String id = registry.create("Author");

        for (int i = 0; i < 10; i++) {
            assertThat(commit(id, signs.repeat(99_000 / signs.length()), "LOCAL", "")
                            .status())
                    .isEqualTo(201);
        }

        assertThat(list(id, "?q=" + encoded(signs.repeat(1_200))).status()).isEqualTo(200);
    }

    @Test
    void words_within_compounds_are_found() {
        String id = registry.create("Author");
        commit(id, "the retry_limit of src/main/build.sh", "LOCAL", "");

        for (String words : List.of("retry_limit", "limit", "main/build.sh", "build", "src main")) {
            assertThat(contents(id, "?q=" + encoded(words))).as(words).hasSize(1);
        }
    }

    @Test
    void memories_of_any_language_are_found() {
        String id = registry.create("Author");
        commit(id, "部署窗口是每周五晚上，由王芳批准", "LOCAL", "");
        commit(id, "We use IT for all; the WHO report is due", "LOCAL", "");
        commit(id, "Die Lieferverträge liegen im Café an der Hauptstraße", "LOCAL", "");
        commit(id, "デプロイは金曜日の夜です", "LOCAL", "");
        commit(id, "การติดตั้งทำทุกวันศุกร์", "LOCAL", "");

        for (String words : List.of("部署窗口", "王芳", "批准")) {
            assertThat(contents(id, "?q=" + encoded(words)))
                    .as(words)
                    .hasSize(1)
                    .first()
                    .asString()
                    .startsWith("部署");
        }
        for (String words : List.of("the WHO", "who", "IT")) {
            assertThat(contents(id, "?q=" + encoded(words)))
                    .as(words)
                    .hasSize(1)
                    .first()
                    .asString()
                    .startsWith("We use");
        }
        for (String words : List.of(
                "Lieferverträge", "Liefervertrag", "Vertrag", "cafe", "CAFÉ", "Hauptstrasse", "Haupt Vertrag")) {
            assertThat(contents(id, "?q=" + encoded(words)))
                    .as(words)
                    .hasSize(1)
                    .first()
                    .asString()
                    .startsWith("Die");
        }
        assertThat(contents(id, "?q=" + encoded("金曜日"))).hasSize(1);
        assertThat(contents(id, "?q=" + encoded("วันศุกร์"))).hasSize(1);
        assertThat(contents(id, "?q=" + encoded("Vertrag%"))).hasSize(1);
        assertThat(contents(id, "?q=" + encoded("12"))).isEmpty();
    }

    @Test
    void where_no_memory_has_all_words_those_with_some_are_found_and_the_best_comes_first() {
        String id = registry.create("Author");
        commit(id, "the deploy window opens on Friday", "LOCAL", "");
        commit(id, "the window of the office is broken", "LOCAL", "");
        commit(id, "lunch is at noon", "LOCAL", "");

        assertThat(contents(id, "?q=" + encoded("deploy window"))).hasSize(1);
        assertThat(contents(id, "?q=" + encoded("the deployment window of Monday")))
                .hasSize(2)
                .first()
                .asString()
                .startsWith("the deploy window");
        assertThat(contents(id, "?q=" + encoded("the of"))).hasSize(1);
        assertThat(contents(id, "?q=" + encoded("nothing alike"))).isEmpty();
    }

    @Test
    void searches_that_take_long_keep_nobody_else_from_the_database() {
        String id = registry.create("Author");
        commit(id, "plain words", "LOCAL", "");

        var holder = registry.pool.getConnection().await();
        var transaction = holder.begin().await();
        holder.query("LOCK TABLE memories IN ACCESS EXCLUSIVE MODE").execute().await();
        var searches = IntStream.range(0, 12)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> list(id, "?q=plain"), task -> Thread.ofVirtual().start(task)))
                .toList();
        await().until(() -> registry.count("pg_locks WHERE NOT granted") >= 3);

        assertThat(registry.get("/workspaces", ADMIN).status()).isEqualTo(200);
        transaction.rollback().await();
        holder.close().await();
        searches.forEach(search -> assertThat(search.join().status()).isIn(200, 503));
    }

    private static Answer commit(String id, String content, String scope, String more) {
        return registry.post(
                path(id), "{\"content\":\"%s\",\"scope\":\"%s\"%s}".formatted(content, scope, more), ADMIN);
    }

    private static Answer list(String id, String query) {
        return registry.get(path(id) + query, ADMIN);
    }

    private static List<String> contents(String id, String query) {
        return list(id, query).json().findValuesAsText("content");
    }

    private static String path(String id) {
        return "/workspaces/" + id + "/memories";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
