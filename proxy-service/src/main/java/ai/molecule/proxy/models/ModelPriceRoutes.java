package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.common.models.ProviderTable;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/** {@code /settings/prices}: what models cost by the organization's word, in dollars per million tokens. */
public final class ModelPriceRoutes {

    private static final String MODEL = "model";
    private static final String DATED = "dated";

    private final PriceBook prices;

    ModelPriceRoutes(PriceBook prices) {
        this.prices = prices;
    }

    /**
     * {@code {"prices":[{"model":"provider:model","in","out",…,"dated"}],"missing":["provider:model"],"list":{"dated","source",…}}}, {@code
     * list} the price list that these go before.
     */
    public void list(RoutingContext ctx) {
        Answers.json(
                ctx,
                prices.own()
                        .compose(own -> prices.missing()
                                .compose(missing -> prices.list().map(inForce -> toJson(own, missing, inForce)))));
    }

    private static ObjectNode toJson(Map<String, List<ModelPrice>> own, List<String> missing, ObjectNode inForce) {
        var body = Json.object();
        var list = body.putArray("prices");
        own.forEach((provider, all) -> all.forEach(price -> list.add(toJson(provider, price))));
        missing.forEach(body.putArray("missing")::add);
        body.set("list", inForce);
        return body;
    }

    /** {@code {"model":"provider:model","in","out"[,"cached","cache_write","cache_write_hour","reasoning","beyond","dated"]}} → the price. */
    public void set(RoutingContext ctx) {
        var body = JsonBody.of(ctx, "the request body must be a JSON object");
        String name = body.requiredText(MODEL);
        String provider = providerOf(name);
        var row = body.members().deepCopy().put(MODEL, name.substring(provider.length() + 1));
        if (!row.has(DATED)) {
            row.put(DATED, LocalDate.now(ZoneOffset.UTC).toString());
        }
        var price = ProviderTable.price(row);
        Answers.json(ctx, prices.set(provider, price, row).map(set -> toJson(provider, price)));
    }

    /** {@code ?model=provider:model}: the table's counts again. */
    public void remove(RoutingContext ctx) {
        String name = ctx.request().getParam(MODEL, "");
        providerOf(name);
        Answers.json(ctx, prices.remove(name).map(was -> {
            if (!was) {
                throw ApiError.notFound("there is no price of the organization for this model");
            }
            return Json.object().put("removed", name);
        }));
    }

    private static String providerOf(String name) {
        int colon = name.indexOf(':');
        if (colon < 1 || colon == name.length() - 1) {
            throw ApiError.invalid("model must be provider:model");
        }
        return name.substring(0, colon);
    }

    private static ObjectNode toJson(String provider, ModelPrice price) {
        return Json.object()
                .put(MODEL, provider + ":" + price.model())
                .put("in", price.in())
                .put("out", price.out())
                .put("cached", price.cached())
                .put("cache_write", price.cacheWrite())
                .put("cache_write_hour", price.cacheWriteHour())
                .put("reasoning", price.reasoning())
                .put(DATED, price.dated().toString());
    }
}
