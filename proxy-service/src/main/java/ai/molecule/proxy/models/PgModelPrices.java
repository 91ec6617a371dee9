package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.common.models.ProviderTable;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;

/** The tables {@code model_prices} and {@code unpriced_models}; models by {@code provider:model}. */
record PgModelPrices(Database database) {

    /** Every proxy has them in mind. */
    static final int MAX = 1_000;

    /** Models that wait for a price: an agent can invent names. */
    private static final int MISSING_MAX = 100;

    private static final int MISSING_OF_WORKSPACE_MAX = 20;

    private static final String ALL = "SELECT name, price::text AS price FROM model_prices ORDER BY name LIMIT $1";

    private static final String MISSING =
            "SELECT name FROM unpriced_models WHERE NOT EXISTS (SELECT 1 FROM model_prices WHERE model_prices.name = unpriced_models.name) ORDER BY name";

    /** Of two that race for the last place both get one. */
    private static final String SET = """
            INSERT INTO model_prices (name, price)
            SELECT $1, $2::text::jsonb WHERE EXISTS (SELECT 1 FROM model_prices WHERE name = $1) OR (SELECT count(*) FROM model_prices) < $3
            ON CONFLICT (name) DO UPDATE SET price = excluded.price
            """;

    private static final String REMOVE = "DELETE FROM model_prices WHERE name = $1";

    private static final String WAITING = "SELECT name FROM unpriced_models WHERE starts_with(name, $1) FOR UPDATE";

    /** Asked again after the price was taken away, and the model used again. */
    private static final String ANSWERED = """
            WITH answered AS (DELETE FROM unpriced_models WHERE name = ANY ($1) RETURNING name, workspace_id)
            SELECT log.append('MODEL_PRICE_SET', workspace_id, jsonb_build_object('model', name)) FROM answered
            """;

    /** Once for each model: of two at the same time the second waits for the first, and finds it asked. */
    private static final String ASK = """
            WITH asked AS (
                INSERT INTO unpriced_models (name, workspace_id)
                SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM model_prices WHERE name = $1)
                    AND (SELECT count(*) FROM unpriced_models) < $3
                    AND (SELECT count(*) FROM unpriced_models WHERE workspace_id = $2) < $4
                ON CONFLICT DO NOTHING RETURNING name, workspace_id
            )
            SELECT log.append('MODEL_PRICE_MISSING', workspace_id, jsonb_build_object('model', name)) FROM asked
            """;

    /** By provider. */
    Future<Map<String, List<ModelPrice>>> all() {
        return database.list(ALL, Tuple.of(MAX), row -> Map.entry(row.getString("name"), row.getString("price")))
                .map(rows -> {
                    Map<String, List<ModelPrice>> all = new LinkedHashMap<>();
                    rows.forEach(row -> all.computeIfAbsent(
                                    row.getKey().substring(0, row.getKey().indexOf(':')), first -> new ArrayList<>())
                            .add(ProviderTable.price(Json.stored(row.getValue()))));
                    return all;
                });
    }

    /** Models that were used, and wait for a price. */
    Future<List<String>> missing() {
        return database.list(MISSING, Tuple.tuple(), row -> row.getString("name"));
    }

    /** Fails with CONFLICT when there are as many as may be. */
    Future<Void> set(String provider, ModelPrice price, ObjectNode stored) {
        return database.transaction(transaction -> transaction
                .changes(SET, Tuple.of(provider + ":" + price.model(), stored.toString(), MAX))
                .compose(set -> {
                    if (!set) {
                        throw ApiError.conflict("maximum %d prices: remove one first".formatted(MAX));
                    }
                    return answer(
                            transaction, provider + ":", name -> price.covers(name.substring(provider.length() + 1)));
                }));
    }

    /** Of the models that wait for a price, those wait no more that have one. */
    Future<Void> answer(Predicate<String> priced) {
        return database.transaction(transaction -> answer(transaction, "", priced));
    }

    /** @param beginning of the names that may be meant */
    private static Future<Void> answer(Sql transaction, String beginning, Predicate<String> priced) {
        return transaction
                .list(WAITING, Tuple.of(beginning), row -> row.getString("name"))
                .compose(waiting -> transaction.run(
                        ANSWERED, Tuple.of(waiting.stream().filter(priced).toArray(String[]::new))));
    }

    /** Whether there was one. */
    Future<Boolean> remove(String name) {
        return database.changes(REMOVE, Tuple.of(name));
    }

    /** Asks for the price of a model, once for each. */
    Future<?> ask(String name, UUID workspaceId) {
        return database.query(ASK, Tuple.of(name, workspaceId, MISSING_MAX, MISSING_OF_WORKSPACE_MAX));
    }
}
