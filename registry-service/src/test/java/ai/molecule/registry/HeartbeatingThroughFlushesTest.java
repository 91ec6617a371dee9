package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.redis.RedisStore;
import ai.molecule.common.testing.TestStores;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Redis forgets everything, or stands still for longer than a command may take, again and again. */
@Tag("stores")
class HeartbeatingThroughFlushesTest {

    @Test
    void while_it_forgets_who_heartbeats_stays_online_and_who_falls_silent_is_still_noticed() {
        noticeTheSilentWhile(Request.cmd(Command.FLUSHALL));
    }

    @Test
    void while_it_hangs_who_heartbeats_stays_online_and_who_falls_silent_is_still_noticed() {
        noticeTheSilentWhile(Request.cmd(Command.CLIENT).arg("PAUSE").arg("600"));
    }

    private static void noticeTheSilentWhile(Request trouble) {
        try (var registry = RunningRegistry.start("MOLECULE_LIVENESS_TTL_SECONDS", "8")) {
            var redis = new RedisStore(registry.vertx, TestStores.redisUrl());
            String alive = registry.create("Alive");
            String silent = registry.create("Silent");
            registry.beat(silent, "", null);

            await().pollInterval(Duration.ofMillis(300)).until(() -> {
                registry.beat(alive, "", null);
                redis.send(trouble).otherwiseEmpty().await();
                return registry.status(silent).equals("offline");
            });

            assertThat(registry.eventTypes(alive)).containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_ONLINE");
        }
    }
}
