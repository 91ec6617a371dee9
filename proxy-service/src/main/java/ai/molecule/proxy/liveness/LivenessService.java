package ai.molecule.proxy.liveness;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.routing.Owner;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Asks every service what its reconcilers have been doing. */
public final class LivenessService {

    /** @param all empty when the service did not answer in time */
    record Answered(String service, Optional<ReconcilerStatus.All> all) {}

    private final Bus bus;

    public LivenessService(Bus bus) {
        this.bus = bus;
    }

    /** One entry per service, also for those that do not answer; completes within their deadline and never fails. */
    Future<List<Answered>> ask() {
        var asked = Stream.of(Owner.values())
                .map(owner -> owner.name().toLowerCase(Locale.ROOT))
                .map(service -> bus.call(ReconcilerStatus.of(service), new ReconcilerStatus())
                        .map(Optional::of)
                        .otherwise(Optional.empty())
                        .map(all -> new Answered(service, all)))
                .toList();
        return Future.all(asked).map(all -> all.<Answered>list());
    }
}
