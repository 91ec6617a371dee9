package ai.molecule.registry;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.CapacityWanted;
import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.redis.RedisStore;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.testkit.Kept;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.WebClient;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code POST /registry/heartbeat}. */
@Tag("stores")
class SendingHeartbeatsTest {

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
    void a_heartbeat_lifts_a_provisioning_workspace_and_says_from_where() {
        String id = registry.create("New");

        assertThat(registry.beat(id, "", null)).asString().startsWith("200 {\"status\":\"ok\",");

        assertThat(registry.status(id)).isEqualTo("online");
        assertThat(registry.events(id))
                .last(as(STRING))
                .startsWith("WORKSPACE_ONLINE {")
                .contains("\"recovered_from\":\"provisioning\"", "\"status\":\"online\"");
    }

    @Test
    void many_errors_degrade_and_few_recover() {
        String id = online();

        registry.beat(id, ",\"error_rate\":0.8,\"sample_error\":\"boom\"", null);
        assertThat(registry.status(id)).isEqualTo("degraded");
        assertThat(registry.get("/workspaces/" + id, null).body()).contains("\"last_error_rate\":0.8");
        registry.beat(id, ",\"error_rate\":0.3", null);
        assertThat(registry.status(id)).isEqualTo("degraded");
        registry.beat(id, ",\"error_rate\":0.0", null);
        assertThat(registry.status(id)).isEqualTo("online");

        assertThat(registry.events(id).get(2))
                .startsWith("WORKSPACE_DEGRADED {")
                .contains("\"error_rate\":0.8", "\"sample_error\":\"boom\"", "\"status\":\"degraded\"");
        assertThat(registry.eventTypes(id).get(3)).isEqualTo("WORKSPACE_ONLINE");
    }

    @Test
    void a_wedged_runtime_is_degraded_and_one_that_owns_its_status_is_not_judged() {
        String wedged = online();
        String owning = online();

        registry.beat(wedged, ",\"runtime_state\":\"wedged\"", null);
        registry.beat(owning, ",\"error_rate\":1,\"runtime_metadata\":{\"capabilities\":{\"status_mgmt\":true}}", null);

        assertThat(registry.status(wedged)).isEqualTo("degraded");
        assertThat(registry.status(owning)).isEqualTo("online");
    }

    @Test
    void capacity_is_told_of_whom_somebody_waits_for_and_nobody_else() {
        List<UUID> drained = new CopyOnWriteArrayList<>();
        registry.bus.listen(DrainQueue.HINT, hint -> drained.add(hint.workspaceId()));
        String wanted = online();
        String other = online();

        await().until(() -> {
            registry.bus.publish(CapacityWanted.HINT, new CapacityWanted(List.of(UUID.fromString(wanted))));
            registry.beat(other, ",\"active_tasks\":0", null);
            registry.beat(wanted, ",\"active_tasks\":0", null);
            return !drained.isEmpty();
        });
        drained.clear();
        registry.beat(wanted, ",\"active_tasks\":1", null);
        registry.beat(wanted, "", null);

        await().until(() -> !drained.isEmpty());
        assertThat(drained).containsOnly(UUID.fromString(wanted));
    }

    @Test
    void what_is_left_out_counts_as_zero_but_the_spend_stays() {
        String id = online();
        registry.beat(id, ",\"active_tasks\":2,\"current_task\":\"t\",\"monthly_spend\":700", null);
        assertThat(registry.get("/workspaces/" + id, null).body()).contains("\"active_tasks\":2");

        registry.beat(id, "", null);

        var seen = registry.see(id);
        assertThat(seen.path("active_tasks").asInt()).isZero();
        assertThat(seen.path("current_task").asText()).isEmpty();
        assertThat(seen.path("monthly_spend").asInt()).isEqualTo(700);
    }

    @Test
    void whole_numbers_may_be_written_as_floating_point_ones() {
        String id = registry.create("Floating");

        assertThat(registry.beat(id, ",\"error_rate\":0,\"active_tasks\":1.0,\"uptime_seconds\":3e1", null))
                .asString()
                .startsWith("200 {\"status\":\"ok\",");
        assertThat(registry.see(id).path("active_tasks").asInt()).isEqualTo(1);
        assertThat(registry.see(id).path("uptime_seconds").asInt()).isEqualTo(30);
    }

    @Test
    void failed_and_removed_workspaces_are_not_lifted() {
        String failed = registry.create("Failed");
        registry.bus
                .call(
                        Transition.CONTRACT,
                        new Transition(UUID.fromString(failed), 1, WorkspaceStatus.FAILED, Map.of("error", "no"), "no"))
                .await();
        String removed = online();
        registry.delete("/workspaces/" + removed, RunningRegistry.ADMIN);

        registry.beat(failed, "", null);
        var answer = registry.beat(removed, ",\"active_tasks\":3", null);

        assertThat(registry.status(failed)).isEqualTo("failed");
        assertThat(answer).asString().startsWith("200 {\"status\":\"ok\",");
        assertThat(registry.see(removed).path("active_tasks").asInt()).isZero();
        assertThat(registry.status(removed)).isEqualTo("removed");
        assertThat(registry.beat(UUID.randomUUID().toString(), "", null))
                .asString()
                .startsWith("200 {\"status\":\"ok\",");
    }

    @Test
    void once_there_is_a_token_only_it_may_speak() {
        String id = online();
        String other = online();
        String token = registry.token(id);
        String foreign = registry.token(other);

        assertThat(registry.beat(id, "", null)).hasToString("401 {\"error\":\"missing workspace auth token\"}");
        assertThat(registry.beat(id, "", foreign)).hasToString("401 {\"error\":\"invalid workspace auth token\"}");
        assertThat(registry.beat(id, "", RunningRegistry.ADMIN).status()).isEqualTo(401);
        assertThat(registry.beat(id, "", token).status()).isEqualTo(200);
    }

    @Test
    void of_those_who_come_together_each_is_let_in_or_refused_by_its_own_token() {
        // Given
        List<String> ids =
                Stream.generate(SendingHeartbeatsTest::online).limit(50).toList();
        List<String> tokens = ids.stream().map(registry::token).toList();
        String free = online();
        String foreign = registry.token(online());

        // When
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            answers.add(beating(ids.get(i), i % 5 == 0 ? foreign : i % 5 == 1 ? null : tokens.get(i)));
        }
        answers.add(beating(free, "whatever"));
        answers.add(beating(UUID.randomUUID().toString(), null));
        Future.all(answers).await();

        // Then
        for (int i = 0; i < answers.size(); i++) {
            assertThat(answers.get(i).result())
                    .startsWith(
                            i >= ids.size() || i % 5 > 1
                                    ? "200 {\"status\":\"ok\""
                                    : i % 5 == 0
                                            ? "401 {\"error\":\"invalid workspace auth token\"}"
                                            : "401 {\"error\":\"missing workspace auth token\"}");
        }
    }

    private static Future<String> beating(String id, @Nullable String token) {
        var request = Kept.kept(WebClient.create(registry.vertx))
                .post(registry.verticle.actualPort(), "127.0.0.1", "/registry/heartbeat");
        if (token != null) {
            request.bearerTokenAuthentication(token);
        }
        return request.sendBuffer(Buffer.buffer("{\"workspace_id\":\"%s\"}".formatted(id)))
                .map(answer -> answer.statusCode() + " " + answer.bodyAsString());
    }

    @Test
    void many_at_once_are_all_answered_and_the_read_after_each_sees_it() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ids.add(registry.create("Many " + i));
        }
        var client = Kept.kept(WebClient.create(registry.vertx));
        List<Future<?>> answers = new ArrayList<>();
        for (int round = 1; round <= 10; round++) {
            for (String id : ids) {
                answers.add(client.post(registry.verticle.actualPort(), "127.0.0.1", "/registry/heartbeat")
                        .sendBuffer(
                                Buffer.buffer("{\"workspace_id\":\"%s\",\"uptime_seconds\":%d}".formatted(id, round)))
                        .map(answer -> assertThat(answer.statusCode()).isEqualTo(200)));
            }
        }

        Future.all(answers).await();

        for (String id : ids) {
            assertThat(registry.eventTypes(id)).containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_ONLINE");
            assertThat(registry.see(id).path("uptime_seconds").asInt()).isPositive();
        }
    }

    @Test
    void a_changed_task_is_shown_at_once_and_a_sign_of_life_at_most_every_ten_seconds() {
        String id = online();
        await().until(() -> shown(id, "WORKSPACE_HEARTBEAT") == 1);

        registry.beat(id, "", null);
        registry.beat(id, ",\"current_task\":\"reading\"", null);
        registry.beat(id, ",\"current_task\":\"reading\",\"active_tasks\":1", null);

        await().until(() -> shown(id, "WORKSPACE_HEARTBEAT") == 2);
        assertThat(shown(id, "TASK_UPDATED")).isEqualTo(1);
    }

    @Test
    void heartbeats_go_on_after_the_database_cut_every_connection() {
        String id = online();

        registry.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                + " AND datname = current_database() AND query LIKE '%UPDATE heartbeats%'");

        await().until(() -> registry.beat(id, ",\"active_tasks\":4", null).status() == 200);
        assertThat(registry.see(id).path("active_tasks").asInt()).isEqualTo(4);
    }

    @Test
    void redis_holds_a_sign_of_life_and_no_address_once_the_workspace_changed() {
        var redis = new RedisStore(registry.vertx, TestStores.redisUrl());
        String id = registry.create("Agent");
        redis.send(Request.cmd(Command.SET).arg("ws:" + id + ":url").arg("http://old"))
                .await();

        registry.beat(id, "", null);

        await().untilAsserted(() -> {
            assertThat(redis.get("ws:" + id).await()).isEqualTo("online");
            assertThat(redis.get("ws:" + id + ":url").await()).isNull();
        });
        var left = redis.send(Request.cmd(Command.TTL).arg("ws:" + id)).await();
        assertThat(String.valueOf(left))
                .satisfies(seconds -> assertThat(Integer.parseInt(seconds)).isBetween(1, 60));
        registry.delete("/workspaces/" + id, RunningRegistry.ADMIN);
        await().untilAsserted(() -> assertThat(redis.get("ws:" + id).await()).isNull());
        redis.close().await();
    }

    private static long shown(String id, String type) {
        return registry.live.stream()
                .filter(event -> id.equals(String.valueOf(event.workspaceId())))
                .map(LiveEvent::type)
                .filter(type::equals)
                .count();
    }

    private static String online() {
        String id = registry.create("Agent");
        registry.beat(id, "", null);
        return id;
    }
}
