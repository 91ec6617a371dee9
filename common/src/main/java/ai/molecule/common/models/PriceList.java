package ai.molecule.common.models;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The prices of models on a day, in the form of {@code models/prices.schema.json}. The one that comes along is {@code models/prices.json};
 * an operator may name another, which is signed ({@link PriceListKeys}) and renewed without an upgrade.
 *
 * @param dated the day it was published
 * @param prices by provider, in the list's order
 */
public record PriceList(LocalDate dated, Map<String, List<ModelPrice>> prices) {

    /** Of a list as it is published. */
    public static final int MAX_BYTES = 1 << 20;

    private static final int PRICES_MAX = 5_000;

    private static final String SHIPPED = "/models/prices.json";
    private static final String MODEL = "model";
    private static final String DATED = "dated";
    private static final Set<String> MEMBERS = Set.of("$schema", DATED, "prices");

    /** Read once. */
    private static final class Shipped {
        private static final PriceList LIST = readShipped();
    }

    /** What comes along. */
    public static PriceList shipped() {
        return Shipped.LIST;
    }

    /**
     * {@link IllegalArgumentException} says what is wrong in one sentence.
     *
     * @param where what the sentence begins with, such as {@code the price list}
     */
    public static PriceList read(byte[] text, String where) {
        ProviderFile.require(text.length <= MAX_BYTES, where, "is longer than 1 MiB");
        JsonNode file;
        try {
            file = Json.parse(text);
        } catch (IOException malformed) {
            throw new IllegalArgumentException(where + " is not JSON", malformed);
        }
        ProviderFile.require(file.isObject(), where, "is no JSON object");
        ProviderFile.known(file, MEMBERS, where);
        var dated = dayOf(file, where);
        var rows = file.path("prices");
        ProviderFile.require(rows.isArray(), where, "has no list called prices");
        ProviderFile.require(rows.size() <= PRICES_MAX, where, "has more than " + PRICES_MAX + " prices");
        Map<String, List<ModelPrice>> prices = new LinkedHashMap<>();
        for (var row : rows) {
            String name = row.path(MODEL).asText();
            int colon = name.indexOf(':');
            ProviderFile.require(
                    row instanceof ObjectNode && colon > 0, where, "has a price whose model is not provider:model");
            prices.computeIfAbsent(name.substring(0, colon), first -> new ArrayList<>())
                    .add(price((ObjectNode) row, name.substring(colon + 1), dated, where));
        }
        return new PriceList(dated, prices);
    }

    private static ModelPrice price(ObjectNode row, String model, LocalDate dated, String where) {
        var own = row.deepCopy().put(MODEL, model);
        if (!own.has(DATED)) {
            own.put(DATED, dated.toString());
        }
        return ProviderFile.price(own, where);
    }

    private static LocalDate dayOf(JsonNode file, String where) {
        try {
            return LocalDate.parse(file.path(DATED).asText());
        } catch (DateTimeException undated) {
            throw new IllegalArgumentException(
                    where + " needs the day on which it was published as dated, as 2026-01-31", undated);
        }
    }

    private static PriceList readShipped() {
        try (var shipped = PriceList.class.getResourceAsStream(SHIPPED)) {
            if (shipped == null) {
                throw new IllegalStateException("the proxy came without " + SHIPPED);
            }
            return read(shipped.readAllBytes(), "the price list that comes along");
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }
}
