package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.registry.RunningRegistry.Answer;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /workspaces/:id/config}. */
class KeepingConfigsTest {

    private static final String EMPTY = "200 {\"data\":{}}";
    private static final String TOO_LARGE = "413 {\"error\":\"body too large or unreadable\"}";

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
    void members_are_replaced_one_by_one_and_not_within() {
        String id = registry.create("Agent");
        String token = registry.token(id);
        assertThat(config(id)).hasToString(EMPTY);

        assertThat(registry.patch(path(id), "{\"a\":{\"x\":1,\"y\":2},\"b\":\"kept\",\"c\":[1, 2]}", token))
                .hasToString("200 {\"status\":\"updated\"}");
        merge(id, "{\"a\":{\"x\":3},\"c\":null}");

        assertThat(registry.get(path(id), token))
                .hasToString("200 {\"data\":{\"a\":{\"x\":3},\"b\":\"kept\",\"c\":null}}");
        assertThat(merge(id, "{}").status()).isEqualTo(200);
    }

    @Test
    void merges_at_the_same_time_all_count() {
        String id = registry.create("Agent");

        IntStream.range(0, 8)
                .mapToObj(nth -> CompletableFuture.supplyAsync(() -> merge(id, "{\"k%d\":%d}".formatted(nth, nth))))
                .toList()
                .forEach(merge -> assertThat(merge.join().status()).isEqualTo(200));

        assertThat(config(id).json().path("data")).hasSize(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "7", "null", "\"text\"", "{\"a\":\"\\u0000\"}", "{\"\\u0000\":1}"})
    void what_is_no_json_object_is_refused(String body) {
        String id = registry.create("Agent");

        assertThat(merge(id, body)).hasToString("400 {\"error\":\"invalid JSON\"}");
        assertThat(config(id)).hasToString(EMPTY);
    }

    @Test
    void a_body_and_a_whole_config_hold_256_kib() {
        String id = registry.create("Agent");
        int most = 256 * 1024;

        assertThat(merge(id, body("a", most + 1))).hasToString(TOO_LARGE);
        assertThat(config(id)).hasToString(EMPTY);
        for (String member : List.of("a", "b", "c")) {
            assertThat(merge(id, body(member, 80 * 1024)).status()).isEqualTo(200);
        }
        assertThat(merge(id, body("d", 80 * 1024))).hasToString(TOO_LARGE);
        assertThat(config(id).json().path("data")).hasSize(3);
        assertThat(merge(id, "{\"a\":null}").status()).isEqualTo(200);
        assertThat(merge(id, body("d", 80 * 1024)).status()).isEqualTo(200);
    }

    @Test
    void what_the_database_writes_out_in_full_counts_in_full_from_the_first_merge_on() {
        String id = registry.create("Agent");

        assertThat(merge(id, "{\"n\":[%s]}".formatted(String.join(",", Collections.nCopies(1_000, "1e300")))))
                .hasToString(TOO_LARGE);
        assertThat(config(id)).hasToString(EMPTY);
    }

    @Test
    void numbers_the_database_cannot_hold_are_the_clients_error() {
        String id = registry.create("Agent");

        assertThat(merge(id, "{\"n\":1e999999}").status()).isEqualTo(400);
        assertThat(config(id)).hasToString(EMPTY);
    }

    @Test
    void nothing_is_kept_for_workspaces_that_are_not_there() {
        String id = registry.create("Agent");
        merge(id, "{\"a\":1}");
        registry.delete("/workspaces/" + id + "?purge=true", ADMIN);

        for (String gone : List.of(id, UUID.randomUUID().toString())) {
            assertThat(config(gone)).hasToString(EMPTY);
            assertThat(merge(gone, "{\"a\":1}")).hasToString("404 {\"error\":\"workspace not found\"}");
        }
        assertThat(config("nonsense")).hasToString("400 {\"error\":\"invalid workspace ID\"}");
        assertThat(registry.get(path(registry.create("Other")), registry.token(registry.create("Stranger")))
                        .status())
                .isEqualTo(401);
    }

    /** So many bytes of JSON. */
    private static String body(String member, int bytes) {
        String frame = "{\"%s\":\"\"}".formatted(member);
        return "{\"%s\":\"%s\"}".formatted(member, "x".repeat(bytes - frame.length()));
    }

    private static Answer config(String id) {
        return registry.get(path(id), ADMIN);
    }

    private static Answer merge(String id, String body) {
        return registry.patch(path(id), body, ADMIN);
    }

    private static String path(String id) {
        return "/workspaces/" + id + "/config";
    }
}
