package ai.molecule.registry.lifecycle;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.common.redis.RedisStore;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * What others are told after a commit and before the request is answered. Everything here may be lost: caches have a maximum
 * age, the sequencer and the reconcilers have timers, and Redis holds nothing that is needed.
 */
public final class Announcements {

    private final Bus bus;
    private final RedisStore redis;
    private final String ttlSeconds;
    private final List<Consumer<UUID>> remembering = new ArrayList<>();

    public Announcements(Bus bus, RedisStore redis, Duration livenessTtl) {
        this.bus = bus;
        this.redis = redis;
        this.ttlSeconds = String.valueOf(livenessTtl.toSeconds());
    }

    /** For a cache in this process: hears of a change before whoever made it is answered. */
    public void tellFirst(Consumer<UUID> cache) {
        remembering.add(cache);
    }

    /** Drops what is cached about these workspaces, here and elsewhere. */
    public void changed(Collection<Changed> changes) {
        if (changes.isEmpty()) {
            return;
        }
        List<String> stale = new ArrayList<>();
        for (var change : changes) {
            remembering.forEach(cache -> cache.accept(change.workspaceId()));
            bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(change.workspaceId(), change.version()));
            String key = livenessKey(change.workspaceId());
            stale.add(key + ":url");
            stale.add(key + ":internal_url");
            if (!change.status().live()) {
                stale.add(key);
            }
        }
        redis.delete(stale);
    }

    /** Whoever watches should not go on showing what these worked on. */
    public void interrupted(Collection<UUID> workspaceIds, Instant now) {
        workspaceIds.forEach(id -> new LiveEvent(
                        "TASK_UPDATED",
                        id,
                        now,
                        Json.object().put("current_task", "").put("active_tasks", 0))
                .publishOn(bus));
    }

    /** The provisioner should look at these now. */
    public void wanted(Collection<UUID> workspaceIds) {
        workspaceIds.forEach(id -> bus.poke(Reconcile.HINT, new Reconcile(id)));
    }

    /** What other services keep of these is to go. */
    void purged(List<UUID> workspaceIds) {
        if (!workspaceIds.isEmpty()) {
            bus.publish(WorkspacesPurged.HINT, new WorkspacesPurged(workspaceIds)); // several services keep something
        }
    }

    /** Renews the liveness keys, whose expiry pokes the sweep. */
    public void alive(Collection<UUID> workspaceIds) {
        redis.batch(workspaceIds.stream()
                .map(id -> Request.cmd(Command.SET)
                        .arg(livenessKey(id))
                        .arg("online")
                        .arg("EX")
                        .arg(ttlSeconds))
                .toList());
    }

    public static String livenessKey(UUID workspaceId) {
        return "ws:" + workspaceId;
    }
}
