package ai.molecule.proxy.work;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /work}: what a person asked for, and all that agents did for it. */
@ExtendWith(VertxExtension.class)
class AskingForWorkTest {

    private static final String ROOT = "the-admin-token";

    @SuppressWarnings("NullAway.Init")
    private static StandInPlatform platform;

    @SuppressWarnings("NullAway.Init")
    private static ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private static Pool database;

    /** Requests that agents have not answered, by the messageId. */
    private final Map<String, HttpServerRequest> held = new ConcurrentHashMap<>();

    private final Map<String, JsonNode> heard = new ConcurrentHashMap<>();

    @BeforeAll
    static void start(Vertx vertx) {
        platform = new StandInPlatform(vertx);
        String url = TestStores.freshDatabase();
        database = Postgres.pool(vertx, url, "proxy");
        var config = ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", url, "ADMIN_TOKEN", ROOT));
        proxy = ProxyUnderTest.start(vertx, platform, config, work -> work);
    }

    @Test
    void a_piece_of_work_shows_who_did_what_for_it_and_ends_with_the_answer() {
        var lead = agent();
        var helper = agent();
        platform.mayTalk(lead, helper);
        var begun = ask(
                "{\"title\":\"Ready to release?\",\"brief\":\"One page, please.\",\"to\":\"%s\",\"limit\":0.50,\"due\":\"2027-01-01T00:00:00Z\"}"
                        .formatted(lead));
        String id = begun.path("id").asText();
        assertThat(begun.path("state").asText()).isEqualTo("working");
        await().until(() -> held.containsKey(id));
        assertThat(of(heard, id).at("/params/message/parts/0/text").asText())
                .isEqualTo("Ready to release?\n\nOne page, please.");
        await().until(() -> get(id).path("tree").size() == 1);

        String delegated = delegate(lead, helper, "count the tests");
        await().until(() -> held.containsKey(delegated));
        await().until(() -> get(id).path("tree").size() == 2);
        json(of(held, delegated).response(), said("42"));
        await().until(() -> get(id).at("/tree/1/state").asText().equals("ok"));
        json(
                of(held, id).response(),
                "{\"result\":{\"kind\":\"message\",\"parts\":[{\"kind\":\"text\",\"text\":\"Yes.\"},"
                        + "{\"kind\":\"file\",\"file\":{\"uri\":\"workspace:/workspace/page.md\",\"name\":\"page.md\",\"mimeType\":\"text/markdown\"}}]}}");
        await().until(() -> get(id).path("state").asText().equals("done"));

        var work = get(id);
        assertThat(work.path("title").asText()).isEqualTo("Ready to release?");
        assertThat(work.path("brief").asText()).isEqualTo("One page, please.");
        assertThat(work.path("limit").asText()).isEqualTo("0.5");
        assertThat(work.path("cost").isNull()).isTrue();
        called(lead, trace(id), null, 12_500L);
        called(helper, null, delegated, 500_000L);
        called(helper, trace(id), delegated, 1L); // once, though it is both
        called(helper, trace(id), null, null);
        called(helper, "of another", null, 7L);
        assertThat(get(id).path("cost").decimalValue()).isEqualByComparingTo("0.512501");
        assertThat(listed("?state=done&limit=200")).contains(id);
        assertThat(listed("?state=working&limit=200")).doesNotContain(id);
        assertThat(work.path("due").asText()).startsWith("2027-01-01T00:00:00");
        assertThat(work.path("asked_by").asText()).isEqualTo("admin-token");
        assertThat(work.path("ended_at").isTextual()).isTrue();
        var root = work.at("/tree/0");
        var child = work.at("/tree/1");
        assertThat(root.path("kind").asText()).isEqualTo("message");
        assertThat(root.path("parent_id").isNull()).isTrue();
        assertThat(root.path("message_id").asText()).isEqualTo(id);
        assertThat(child.path("message_id").asText()).isEqualTo(delegated);
        assertThat(child.path("kind").asText()).isEqualTo("delegation");
        assertThat(child.path("delegation_id").asText()).isEqualTo(delegated);
        assertThat(child.path("parent_id").asText()).isEqualTo(root.path("id").asText());
        assertThat(child.path("preview").asText()).isEqualTo("count the tests");
        assertThat(work.path("words").findValuesAsText("text"))
                .containsExactly("Ready to release?\n\nOne page, please.", "count the tests", "42", "Yes.");
        assertThat(work.path("files").toString())
                .isEqualTo(
                        "[{\"uri\":\"workspace:/workspace/page.md\",\"name\":\"page.md\",\"mimeType\":\"text/markdown\","
                                + "\"workspace_id\":\"%s\"}]".formatted(lead));
    }

    @Test
    void its_trace_is_its_own_and_recorded_when_that_of_the_request_is() {
        String body = "{\"title\":\"Traced\",\"to\":\"%s\"}".formatted(agent());
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0";

        assertThat(traceOf(proxy.post("/work", body, "Authorization", "Bearer " + ROOT, "traceparent", trace + "1")))
                .endsWith("-01");
        assertThat(traceOf(proxy.post("/work", body, "Authorization", "Bearer " + ROOT, "traceparent", trace + "0")))
                .endsWith("-00");
        assertThat(traceOf(post(body))).endsWith("-00");
    }

    /** With which the agent is asked. */
    private String traceOf(HttpResponse<Buffer> begun) {
        String id = Json.stored(begun.bodyAsString()).path("id").asText();
        await().until(() -> held.containsKey(id));
        var asked = of(held, id);
        String parent = Objects.requireNonNull(asked.getHeader("traceparent"));
        json(asked.response(), said("done"));
        assertThat(parent).startsWith("00-" + trace(id) + "-");
        return parent;
    }

    @Test
    void what_an_agent_with_a_login_of_its_own_had_a_part_in_is_not_metered_and_never_at_no_cost() {
        var lead = agent();
        var helper = agent();
        platform.mayTalk(lead, helper);
        String id = ask("{\"title\":\"Ready to release?\",\"to\":\"%s\"}".formatted(lead))
                .path("id")
                .asText();
        await().until(() -> held.containsKey(id));
        called(lead, trace(id), null, 0L); // refused by its provider
        platform.unmetered.add(helper);

        assertThat(get(id).has("metered")).isFalse();
        assertThat(get(id).path("cost").asText()).isEqualTo("0");

        delegate(lead, helper, "count the tests");

        await().until(() -> get(id).has("metered"));
        assertThat(get(id).path("metered").booleanValue()).isFalse();
        assertThat(get(id).path("cost").isNull()).isTrue();
        assertThat(all("?limit=200"))
                .filteredOn(work -> work.path("id").asText().equals(id))
                .singleElement()
                .matches(work -> work.has("metered") && !work.path("metered").booleanValue());

        called(lead, trace(id), null, 12_500L);
        assertThat(get(id).path("cost").asText()).isEqualTo("0.0125");
    }

    private static void called(UUID agent, @Nullable String trace, @Nullable String delegation, @Nullable Long micros) {
        database.preparedQuery("""
                        INSERT INTO model_calls (id, workspace_id, trace_id, delegation_id, provider, model, operation, tokens_in, cache_read,
                            cache_write, tokens_out, reasoning, cost_micros, estimated, outcome, status, started_at, duration_ms)
                        VALUES (gen_random_uuid(), $1, $2, $3, 'p', 'm', 'chat', 1, 0, 0, 1, 0, $4, false, 'ok', 200, now(), 1)
                        """)
                .execute(Tuple.of(agent, trace, delegation, micros))
                .await();
    }

    private static String trace(String work) {
        return work.replace("-", "");
    }

    private static List<String> listed(String query) {
        return all(query).findValuesAsText("id");
    }

    private static JsonNode all(String query) {
        return Json.stored(proxy.client
                .get("/work" + query)
                .putHeader("Authorization", "Bearer " + ROOT)
                .send()
                .await()
                .bodyAsString());
    }

    @Test
    void a_persons_chat_message_is_a_piece_of_work_and_what_follows_in_its_context_is_the_same_one() {
        var agent = agent();
        var first = proxy.client
                .post("/workspaces/" + agent + "/a2a")
                .putHeader("Authorization", "Bearer " + ROOT)
                .sendBuffer(Buffer.buffer(message("c-m-1", "c-7", "Paint the shed\nand the door")));
        await().until(() -> held.containsKey("c-m-1"));
        await().until(() -> workOf(agent).size() == 1);
        var begun = workOf(agent).getFirst();
        assertThat(begun.path("title").asText()).isEqualTo("Paint the shed");
        assertThat(begun.path("asked_by").asText()).isEqualTo("chat");

        json(
                of(held, "c-m-1").response(),
                "{\"result\":{\"kind\":\"task\",\"id\":\"t-9\",\"contextId\":\"c-7\",\"status\":"
                        + "{\"state\":\"input-required\",\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"Which colour?\"}]}}}}");
        first.await();
        String id = begun.path("id").asText();
        await().until(() -> get(id).path("state").asText().equals("needs_you"));
        var second = proxy.client
                .post("/workspaces/" + agent + "/a2a")
                .putHeader("Authorization", "Bearer " + ROOT)
                .sendBuffer(Buffer.buffer(message("c-m-2", "c-7", "Red")));
        await().until(() -> held.containsKey("c-m-2"));
        assertThat(of(heard, "c-m-2").at("/params/message/taskId").asText()).isEqualTo("t-9");
        json(of(held, "c-m-2").response(), said("Painted."));
        second.await();

        await().until(() -> get(id).path("state").asText().equals("done"));
        assertThat(workOf(agent)).hasSize(1);
        assertThat(get(id).path("words").findValuesAsText("text"))
                .containsExactly("Paint the shed\nand the door", "Which colour?", "Red", "Painted.");
    }

    @Test
    void what_is_said_in_a_stream_is_kept_whole() {
        var agent = agent();
        var answer = proxy.client
                .post("/workspaces/" + agent + "/a2a")
                .putHeader("Authorization", "Bearer " + ROOT)
                .sendBuffer(
                        Buffer.buffer(message("s-m-1", "s-7", "Tell me").replace("message/send", "message/stream")));
        await().until(() -> held.containsKey("s-m-1"));
        var stream = of(held, "s-m-1")
                .response()
                .putHeader("Content-Type", "text/event-stream")
                .setChunked(true);
        for (String result : List.of(
                "{\"kind\":\"task\",\"id\":\"t-s\",\"contextId\":\"s-7\",\"status\":{\"state\":\"working\"}}",
                "{\"kind\":\"artifact-update\",\"taskId\":\"t-s\",\"artifact\":{\"parts\":[{\"kind\":\"text\",\"text\":\"It \"}]}}",
                "{\"kind\":\"artifact-update\",\"taskId\":\"t-s\",\"append\":true,\"artifact\":{\"parts\":[{\"kind\":\"text\",\"text\":\"is done.\"}]}}",
                "{\"kind\":\"status-update\",\"taskId\":\"t-s\",\"final\":true,\"status\":{\"state\":\"completed\"}}")) {
            stream.write("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}\n\n");
        }
        stream.end();
        answer.await();

        await().until(() -> workOf(agent).getFirst().path("state").asText().equals("done"));
        assertThat(get(workOf(agent).getFirst().path("id").asText())
                        .path("words")
                        .findValuesAsText("text"))
                .containsExactly("Tell me", "It is done.");
    }

    @Test
    void an_agent_reads_the_work_it_has_a_part_in_and_no_other() {
        var agent = agent();
        String id = ask("{\"title\":\"Mine\",\"to\":\"%s\"}".formatted(agent))
                .path("id")
                .asText();

        assertThat(read("/work/" + id, platform.tokenOf(agent)).statusCode()).isEqualTo(200);
        assertThat(read("/work/" + id, platform.tokenOf(agent())).statusCode()).isEqualTo(401);
        assertThat(read("/work", platform.tokenOf(agent)).statusCode()).isEqualTo(401);
        assertThat(seen(read("/work/" + UUID.randomUUID(), ROOT))).isEqualTo("404 {\"error\":\"work not found\"}");
    }

    /** Else whoever is handed a trifle would read what a person asked far above it. */
    @Test
    void of_it_an_agent_reads_what_it_said_and_was_told_and_nothing_of_others() {
        var lead = agent();
        var clerk = agent();
        var auditor = agent();
        platform.mayTalk(lead, clerk);
        platform.mayTalk(lead, auditor);
        String id = ask("{\"title\":\"Whom do we let go?\",\"brief\":\"Tell nobody.\",\"to\":\"%s\"}".formatted(lead))
                .path("id")
                .asText();
        await().until(() -> held.containsKey(id));
        String count = delegate(lead, clerk, "count the desks");
        String judge = delegate(lead, auditor, "judge Bob");
        await().until(() -> held.containsKey(count) && held.containsKey(judge));
        json(
                of(held, judge).response(),
                "{\"result\":{\"kind\":\"message\",\"parts\":[{\"kind\":\"text\",\"text\":\"Poor.\"},"
                        + "{\"kind\":\"file\",\"file\":{\"uri\":\"workspace:/workspace/bob.md\",\"name\":\"bob.md\"}}]}}");
        json(of(held, count).response(), said("12"));
        await().until(() -> get(id).path("words").size() == 5);

        var seen = Json.stored(read("/work/" + id, platform.tokenOf(clerk)).bodyAsString());

        assertThat(seen.path("words").findValuesAsText("text")).containsExactly("count the desks", "12");
        assertThat(seen.path("title").isNull()).isTrue();
        assertThat(seen.path("brief").isNull()).isTrue();
        assertThat(seen.path("files")).isEmpty();
        assertThat(seen.path("tree"))
                .hasSize(3)
                .allSatisfy(node -> assertThat(node.path("preview").isNull()
                                && node.path("message_id").isNull())
                        .isEqualTo(!node.path("target_id").asText().equals(clerk.toString())));
        assertThat(seen.toString()).doesNotContain("judge Bob", "Poor.", "bob.md", judge, "let go");
        var whole = Json.stored(read("/work/" + id, platform.tokenOf(lead)).bodyAsString());
        assertThat(whole.path("brief").asText()).isEqualTo("Tell nobody.");
        assertThat(whole.path("words")).hasSize(5);
    }

    @Test
    void a_work_whose_agent_is_not_reached_fails_and_says_so() {
        var agent = agent();
        held.clear();
        String id = ask("{\"title\":\"Refused\",\"to\":\"%s\"}".formatted(agent))
                .path("id")
                .asText();
        await().until(() -> held.containsKey(id));
        of(held, id).response().setStatusCode(500).end("{\"error\":\"no model\"}");

        await().until(() -> get(id).path("state").asText().equals("failed"));
    }

    @Test
    void what_was_canceled_was_stopped_and_did_not_fail() {
        var lead = agent();
        var helper = agent();
        platform.mayTalk(lead, helper);
        String id = ask("{\"title\":\"Sort the archive\",\"to\":\"%s\"}".formatted(lead))
                .path("id")
                .asText();
        await().until(() -> held.containsKey(id));
        String delegated = delegate(lead, helper, "the first shelf");
        await().until(() -> held.containsKey(delegated));

        json(of(held, delegated).response(), canceled());
        await().until(() -> get(id).at("/tree/1/state").asText().equals("stopped"));
        assertThat(get(id).path("state").asText()).isEqualTo("working");
        json(of(held, id).response(), canceled());

        await().until(() -> get(id).path("state").asText().equals("stopped"));
        assertThat(get(id).at("/tree/0/state").asText()).isEqualTo("stopped");
        assertThat(get(id).path("ended_at").isTextual()).isTrue();
        assertThat(listed("?state=stopped&limit=200")).contains(id);
        assertThat(listed("?state=failed&limit=200")).doesNotContain(id);
    }

    private static String canceled() {
        return "{\"result\":{\"kind\":\"task\",\"id\":\"t-c\",\"contextId\":\"c\",\"status\":{\"state\":\"canceled\"}}}";
    }

    @Test
    void work_is_listed_newest_first_in_pages() {
        var agent = agent();
        List<String> ids = List.of(
                ask("{\"title\":\"1\",\"to\":\"%s\"}".formatted(agent))
                        .path("id")
                        .asText(),
                ask("{\"title\":\"2\",\"to\":\"%s\"}".formatted(agent))
                        .path("id")
                        .asText(),
                ask("{\"title\":\"3\",\"to\":\"%s\"}".formatted(agent))
                        .path("id")
                        .asText());

        var page = Json.stored(read("/work?limit=2", ROOT).bodyAsString());
        assertThat(page.findValuesAsText("id")).containsExactly(ids.get(2), ids.get(1));
        var rest = Json.stored(read("/work?limit=1&after=" + ids.get(1), ROOT).bodyAsString());
        assertThat(rest.findValuesAsText("id")).containsExactly(ids.get(0));
        assertThat(seen(read("/work?after=" + UUID.randomUUID(), ROOT)))
                .isEqualTo("410 {\"error\":\"unknown cursor\"}");
        assertThat(read("/work?limit=0", ROOT).statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"title\":\"t\"}",
                "{\"title\":\" \",\"to\":\"%s\"}",
                "{\"title\":\"t\",\"to\":\"nobody\"}",
                "{\"title\":\"t\",\"to\":\"%s\",\"limit\":-1}",
                "{\"title\":\"t\",\"to\":\"%s\",\"limit\":\"much\"}",
                "{\"title\":\"t\",\"to\":\"%s\",\"limit\":1e30}",
                "{\"title\":\"t\",\"to\":\"%s\",\"due\":\"soon\"}",
                "{\"title\":7,\"to\":\"%s\"}"
            })
    void what_makes_no_sense_is_refused_and_stores_nothing(String body) {
        long before = count();
        var answer = post(body.formatted(agent()));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.bodyAsJsonObject().getString("error")).isNotEmpty();
        assertThat(count()).isEqualTo(before);
    }

    @Test
    void what_is_too_long_is_refused_and_so_is_work_for_nobody() {
        var agent = agent();
        assertThat(seen(post("{\"title\":\"%s\",\"to\":\"%s\"}".formatted("t".repeat(201), agent))))
                .isEqualTo("400 {\"error\":\"title must be 1 to 200 characters\"}");
        assertThat(seen(post("{\"title\":\"t\",\"to\":\"%s\",\"brief\":\"%s\"}"
                        .formatted(agent, "b".repeat(64 * 1024 + 1)))))
                .isEqualTo("400 {\"error\":\"brief must be at most 64 KiB\"}");
        assertThat(seen(post("{\"title\":\"t\",\"to\":\"%s\"}".formatted(UUID.randomUUID()))))
                .isEqualTo("404 {\"error\":\"workspace not found\"}");
    }

    @Test
    void it_is_forgotten_with_what_was_said_in_it_and_not_before() {
        var agent = agent();
        String id = ask("{\"title\":\"Old\",\"to\":\"%s\"}".formatted(agent))
                .path("id")
                .asText();
        await().until(() -> held.containsKey(id));
        json(of(held, id).response(), said("Done."));
        await().until(() -> get(id).path("state").asText().equals("done"));
        database.query(
                        "UPDATE works SET ended_at = ended_at - interval '89 days', created_at = created_at - interval '200 days' WHERE id = '"
                                + id + "'")
                .execute()
                .await();
        database.query("UPDATE tasks SET started_at = started_at - interval '89 days' WHERE work_id = '" + id + "'")
                .execute()
                .await();
        String other = ask("{\"title\":\"Older\",\"to\":\"%s\"}".formatted(agent))
                .path("id")
                .asText();
        database.query("UPDATE works SET created_at = created_at - interval '91 days' WHERE id = '" + other + "'")
                .execute()
                .await();

        await().until(() -> read("/work/" + other, ROOT).statusCode() == 404);
        assertThat(get(id).path("words").findValuesAsText("text")).containsExactly("Old", "Done.");
        assertThat(get(id).path("tree")).hasSize(1);
    }

    private UUID agent() {
        return proxy.agent(request -> request.body().onSuccess(body -> {
            var message = Json.stored(body.toString());
            String messageId = message.at("/params/message/messageId").asText();
            if (message.path("method").asText().startsWith("molecule/")) {
                json(request.response(), "{\"error\":{\"code\":-32601}}");
            } else {
                heard.put(messageId, message);
                held.put(messageId, request);
            }
        }));
    }

    private String delegate(UUID source, UUID target, String task) {
        return proxy.post(
                        "/workspaces/" + source + "/delegate",
                        "{\"target_id\":\"%s\",\"task\":\"%s\"}".formatted(target, task),
                        "Authorization",
                        "Bearer " + platform.tokenOf(source))
                .bodyAsJsonObject()
                .getString("delegation_id");
    }

    private static JsonNode ask(String body) {
        var answer = post(body);
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(201);
        return Json.stored(answer.bodyAsString());
    }

    private static HttpResponse<Buffer> post(String body) {
        return proxy.post("/work", body, "Authorization", "Bearer " + ROOT);
    }

    private static JsonNode get(String id) {
        return Json.stored(read("/work/" + id, ROOT).bodyAsString());
    }

    private static List<JsonNode> workOf(UUID agent) {
        return Json.stored(read("/work?limit=200", ROOT).bodyAsString())
                .valueStream()
                .filter(work -> work.path("to").asText().equals(agent.toString()))
                .toList();
    }

    private static HttpResponse<Buffer> read(String path, String token) {
        return proxy.client
                .get(path)
                .putHeader("Authorization", "Bearer " + token)
                .send()
                .await();
    }

    private static long count() {
        return database.query("SELECT count(*) FROM works")
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }

    private static String said(String text) {
        return "{\"result\":{\"kind\":\"message\",\"role\":\"agent\",\"parts\":[{\"kind\":\"text\",\"text\":\"%s\"}]}}"
                .formatted(text);
    }

    private static String message(String id, String context, String text) {
        return Json.text(Json.object()
                .put("method", "message/send")
                .set(
                        "params",
                        Json.object()
                                .set(
                                        "message",
                                        Json.object()
                                                .put("messageId", id)
                                                .put("contextId", context)
                                                .put("role", "user")
                                                .set(
                                                        "parts",
                                                        Json.MAPPER
                                                                .createArrayNode()
                                                                .add(Json.object()
                                                                        .put("kind", "text")
                                                                        .put("text", text))))));
    }

    private static <T> T of(Map<String, T> map, String id) {
        return Objects.requireNonNull(map.get(id), id);
    }
}
