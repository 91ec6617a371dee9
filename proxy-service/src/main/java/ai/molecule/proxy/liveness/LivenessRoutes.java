package ai.molecule.proxy.liveness;

import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.http.Answers;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.liveness.LivenessService.Answered;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The HTTP face of {@link LivenessService}. */
public final class LivenessRoutes {

    private final LivenessService liveness;
    private final Clock clock;

    public LivenessRoutes(LivenessService liveness, Clock clock) {
        this.liveness = liveness;
        this.clock = clock;
    }

    /**
     * {@code {"subsystems":{"registry.liveness-sweep":{"last_tick_at","seconds_ago","last_success_at","did","ok","says"}},
     * "services":{"registry":{"answered":true,"replica":"host/12"}}}}; times are null before the first run. Of each service it shows the
     * one replica that answered, which that is, and in {@code open_doors} what stands open there.
     */
    public void show(RoutingContext ctx) {
        Answers.json(ctx, liveness.ask().map(this::page));
    }

    private ObjectNode page(List<Answered> services) {
        var page = Json.object();
        var subsystems = page.putObject("subsystems");
        var answered = page.putObject("services");
        var now = clock.instant();
        for (var service : services) {
            var entry = answered.putObject(service.service())
                    .put("answered", service.all().isPresent());
            service.all().ifPresent(all -> {
                entry.put("replica", all.replica());
                if (!all.openDoors().isEmpty()) {
                    all.openDoors().forEach(entry.putArray("open_doors")::add);
                }
                all.reconcilers().forEach(one -> subsystems.set(service.service() + "." + one.name(), entry(one, now)));
            });
        }
        return page;
    }

    private static ObjectNode entry(ReconcilerStatus.One one, Instant now) {
        var ran = one.lastRunAt();
        return Json.object()
                .put("last_tick_at", text(ran))
                .put(
                        "seconds_ago",
                        ran == null ? null : Duration.between(ran, now).toSeconds())
                .put("last_success_at", text(one.lastSuccessAt()))
                .put("did", one.did())
                .put("ok", one.ok())
                .put("says", one.says());
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
