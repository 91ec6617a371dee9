package ai.molecule.proxy.models;

import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.proxy.models.pricelist.PriceLists;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What models cost: the organization's own prices, before those of the list that an operator names, before those of the table. Asks for the
 * price of a model that is used without one. To be used on one event loop.
 */
final class PriceBook {

    private static final Logger LOGGER = LoggerFactory.getLogger(PriceBook.class);

    private static final Duration AGE_MAX = Duration.ofSeconds(2);

    /** That a model was asked about is known to the database; it is not to hear of each call. */
    private static final Duration ASKED = Duration.ofMinutes(1);

    private static final int ASKED_MAX = 1_000;
    private static final String ALL = "all";

    private final ProviderTable table;
    private final PgModelPrices store;
    private final PriceLists lists;
    private final BriefCache<String, ProviderTable> read = new BriefCache<>(AGE_MAX, 1);
    private final BriefCache<String, Object> asked = new BriefCache<>(ASKED, ASKED_MAX);
    private ProviderTable last;

    PriceBook(ProviderTable table, PgModelPrices store, PriceLists lists) {
        this.table = table;
        this.store = store;
        this.lists = lists;
        this.last = table;
    }

    /** At most 2 s old; while PostgreSQL is away, as it was last known. */
    Future<ProviderTable> table() {
        return read.get(
                ALL,
                key -> lists.on(table)
                        .compose(listed -> store.all().map(listed::withPrices))
                        .onSuccess(known -> last = known)
                        .otherwise(away -> last));
    }

    /** Looks for a newer price list, where one is due; models that waited for a price which is known by now wait no more. */
    Future<RunReport.Outcome> renew() {
        return lists.renew()
                .onComplete(done -> read.clear())
                .compose(outcome -> table().compose(known -> store.answer(name -> isPriced(known, name)))
                        .map(outcome));
    }

    /** The price list in force, and what came of looking for a newer one. */
    Future<ObjectNode> list() {
        return lists.standing();
    }

    private static boolean isPriced(ProviderTable known, String name) {
        int colon = name.indexOf(':');
        return known.all().stream()
                .filter(provider -> provider.name().equals(name.substring(0, colon)))
                .anyMatch(provider -> provider.priceOf(name.substring(colon + 1)) != null);
    }

    Future<Map<String, List<ModelPrice>>> own() {
        return store.all();
    }

    Future<List<String>> missing() {
        return store.missing();
    }

    /** Fails with NOT_FOUND where there is no such provider. */
    Future<Void> set(String provider, ModelPrice price, ObjectNode stored) {
        table.get(provider);
        return store.set(provider, price, stored).onComplete(done -> read.clear());
    }

    Future<Boolean> remove(String name) {
        return store.remove(name).onComplete(done -> {
            read.clear();
            asked.drop(name);
        });
    }

    /** For a call that nobody knows the cost of; once for each model, however many calls. Nothing waits for it. */
    void ask(PlannedCall call) {
        if (call.listed()) {
            String name = call.chosen().name();
            asked.get(name, first -> store.ask(name, call.workspaceId()).map(name))
                    .onFailure(failure -> LOGGER.atWarn()
                            .setCause(failure)
                            .addKeyValue("model", name)
                            .log("the price of a model could not be asked for"));
        }
    }
}
