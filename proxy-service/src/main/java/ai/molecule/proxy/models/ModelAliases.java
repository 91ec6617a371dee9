package ai.molecule.proxy.models;

import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.models.ProviderTable;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Names that a workspace may call models by: its own, those of the workspaces above it, of which the nearest counts, and last those of the
 * operator's file. A change is known to every proxy within 2 s. While PostgreSQL is away what was last read counts. To be used on one
 * event loop.
 */
final class ModelAliases {

    /**
     * One that a workspace may use.
     *
     * @param of whose it is; null of the operator's
     */
    record Alias(String name, List<String> models, @Nullable UUID of) {}

    private static final Duration AGE_MAX = Duration.ofSeconds(2);

    /** What is remembered is one thing: all of them. */
    private static final String ALL = "all";

    private final ProviderTable table;
    private final PriceBook prices;
    private final PgModelAliases store;
    private final Function<UUID, Future<BudgetOf.Standing>> standings;
    private final BriefCache<String, Map<UUID, Map<String, List<String>>>> read = new BriefCache<>(AGE_MAX, 1);
    private Map<UUID, Map<String, List<String>>> last = Map.of();

    /** @param standings who is above a workspace */
    ModelAliases(
            ProviderTable table,
            PriceBook prices,
            PgModelAliases store,
            Function<UUID, Future<BudgetOf.Standing>> standings) {
        this.table = table;
        this.prices = prices;
        this.store = store;
        this.standings = standings;
    }

    /** The providers with their prices, and with what {@code model} means to a workspace if it is an alias. A name with a colon is none, and costs nothing. */
    Future<ProviderTable> tableFor(UUID workspaceId, String model) {
        return prices.table().compose(priced -> tableFor(priced, workspaceId, model));
    }

    private Future<ProviderTable> tableFor(ProviderTable priced, UUID workspaceId, String model) {
        if (model.indexOf(':') >= 0) {
            return Future.succeededFuture(priced);
        }
        return all().compose(all -> all.values().stream().noneMatch(own -> own.containsKey(model))
                ? Future.succeededFuture(priced)
                : usedBy(workspaceId, all)
                        .map(used -> used.containsKey(model)
                                ? priced.withAliases(Map.of(model, used.get(model).models))
                                : priced));
    }

    /** All that a workspace may use, the nearest first. Fails with NOT_FOUND for a workspace that is not there. */
    Future<List<Alias>> of(UUID workspaceId) {
        return all().compose(all -> usedBy(workspaceId, all)).map(used -> {
            table.aliases().forEach((name, models) -> used.putIfAbsent(name, new Alias(name, models, null)));
            return List.copyOf(used.values());
        });
    }

    Future<Void> set(UUID workspaceId, Alias alias) {
        return standings
                .apply(workspaceId)
                .compose(exists -> store.set(workspaceId, alias.name, alias.models))
                .onComplete(done -> read.clear());
    }

    Future<Boolean> remove(UUID workspaceId, String name) {
        return store.remove(workspaceId, name).onComplete(done -> read.clear());
    }

    private Future<Map<String, Alias>> usedBy(UUID workspaceId, Map<UUID, Map<String, List<String>>> all) {
        return standings.apply(workspaceId).map(standing -> {
            Map<String, Alias> used = new LinkedHashMap<>();
            Stream.concat(Stream.of(workspaceId), standing.teams().stream().map(BudgetOf.Team::id))
                    .forEach(id -> all.getOrDefault(id, Map.of())
                            .forEach((name, models) -> used.putIfAbsent(name, new Alias(name, models, id))));
            return used;
        });
    }

    private Future<Map<UUID, Map<String, List<String>>>> all() {
        return read.get(ALL, key -> store.all().onSuccess(all -> last = all).otherwise(away -> last));
    }
}
