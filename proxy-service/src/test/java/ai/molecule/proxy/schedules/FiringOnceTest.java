package ai.molecule.proxy.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.Dying;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two replicas share the ticks; one dies at each step of one. Nothing is lost, and nothing comes twice. */
@Tag("full")
@ExtendWith(VertxExtension.class)
class FiringOnceTest {

    @ParameterizedTest
    @CsvSource({"before,claim", "after,claim", "before,fire", "after,fire"})
    void a_replica_dies_at_a_step_of_a_tick_and_another_goes_on(String when, String step, Vertx vertx) {
        var dying = when.equals("before") ? Dying.before(step) : Dying.after(step);
        var work = Scheduling.start(vertx, store -> dying.of(ScheduleStore.class, store));
        var agent = work.agent();
        var id = work.schedule(agent, "{'cron_expr':'@hourly','prompt':'p'}");
        work.due(id, Duration.ZERO);
        await().until(dying::dead);

        work.anotherReplica();

        work.awaitRun(agent, id, "ok");
        assertThat(work.heard).hasSize(1);
        assertThat(work.statuses(agent, id)).containsExactly("ok");
    }

    @Test
    void hundreds_due_at_once_are_fired_once_each_by_two_replicas(Vertx vertx) {
        var work = Scheduling.start(vertx);
        work.anotherReplica();
        List<UUID> agents = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            agents.add(work.agent());
        }
        for (int i = 0; i < 200; i++) {
            work.schedule(agents.get(i % 10), "{'cron_expr':'@hourly','prompt':'p'}");
        }
        work.database
                .preparedQuery("UPDATE schedules SET next_run_at = date_trunc('second', now()), due_at = now()")
                .execute(Tuple.tuple())
                .await();

        await().untilAsserted(
                        () -> assertThat(count(work, "ended_at IS NOT NULL")).isEqualTo(200));
        assertThat(count(work, "status = 'ok'")).isEqualTo(200);
        assertThat(work.heard).hasSize(200).doesNotHaveDuplicates();
    }

    /** {@code .ci/long} says how many. */
    @Test
    @EnabledIfSystemProperty(named = "molecule.schedules", matches = "\\d+")
    void thousands_due_in_the_same_minute_are_fired_once_each_when_a_replica_is_killed_in_the_middle(Vertx vertx)
            throws IOException {
        int all = Integer.getInteger("molecule.schedules");
        int agents = Math.max(1, all / 50);
        var work = Scheduling.start(vertx);
        String url = work.agentsUrl();
        ReplicaToKill.settle(work.platform, url, agents);
        for (int i = 0; i < all; i++) {
            work.schedule(ReplicaToKill.id(i % agents), "{'cron_expr':'@hourly','prompt':'p'}");
        }
        var replica = ReplicaToKill.start(work.proxy.databaseUrl(), url, agents);
        try {
            work.database
                    .query("UPDATE schedules SET next_run_at = date_trunc('second', now()), due_at = now()")
                    .execute()
                    .await();
            await().until(() -> work.heard.size() >= all / 4);
        } finally {
            replica.destroyForcibly();
        }

        await().atMost(Duration.ofMinutes(10))
                .untilAsserted(
                        () -> assertThat(count(work, "ended_at IS NOT NULL")).isEqualTo(all));
        assertThat(count(work, "status = 'ok'")).isEqualTo(all);
        assertThat(work.heard).hasSize(all).doesNotHaveDuplicates();
    }

    private static long count(Scheduling work, String which) {
        return work.database
                .query("SELECT count(*) FROM schedule_runs WHERE " + which)
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }
}
