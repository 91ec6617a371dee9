package ai.molecule.proxy.activity;

import ai.molecule.common.bus.events.AppendActivity.Row;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Rows on their way to events-service, kept until they are there. Each operation may be repeated. */
public interface HeldRowStore {

    Future<Void> hold(UUID owner, List<Row> rows);

    Future<Void> release(List<UUID> ids);

    /**
     * Takes over rows of proxies not seen for {@code lease}, and of {@code owner} itself those that are not {@code known} to it,
     * because an answer was lost; the oldest first.
     */
    Future<List<Row>> adopt(UUID owner, Set<UUID> known, Duration lease, int max);
}
