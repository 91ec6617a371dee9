package ai.molecule.proxy.models;

import ai.molecule.proxy.models.ModelCallRow.Outcome;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Figures of calls that are over, by the provider's name and how they ended: as many series as the table has providers, times eight. Of
 * tenants by their names, of so many as there may be.
 */
final class ModelMeters {

    private static final int TENANTS_MAX = 1_000;
    private static final String OTHERS = "(others)"; // no tenant is called that

    private final MeterRegistry meters;
    private final Set<String> tenants = new HashSet<>();

    ModelMeters(MeterRegistry meters) {
        this.meters = meters;
    }

    void over(ModelCallRow row) {
        String provider = row.provider();
        meters.timer(
                        "molecule.model.calls",
                        "provider",
                        provider,
                        "outcome",
                        row.outcome().wireName())
                .record(row.duration());
        var usage = row.usage();
        tokens(provider, "in", usage.in());
        tokens(provider, "cache_read", usage.cacheRead());
        tokens(provider, "cache_write", usage.cacheWrite());
        tokens(provider, "out", usage.out());
        Long cost = row.costMicros();
        row.teams().stream()
                .map(ModelAccount::tenant)
                .flatMap(Stream::ofNullable)
                .forEach(tenant -> ofTenant(tenant, cost));
        if (cost != null) {
            meters.counter("molecule.model.cost.dollars", "provider", provider).increment(cost / 1e6);
        } else if (row.outcome() == Outcome.OK) {
            meters.counter("molecule.model.unpriced.calls", "provider", provider)
                    .increment();
        }
    }

    private void ofTenant(String tenant, @Nullable Long cost) {
        boolean told = tenants.contains(tenant) || (tenants.size() < TENANTS_MAX && tenants.add(tenant));
        String named = told ? tenant : OTHERS;
        meters.counter("molecule.model.tenant.calls", "tenant", named).increment();
        if (cost != null) {
            meters.counter("molecule.model.tenant.cost.dollars", "tenant", named)
                    .increment(cost / 1e6);
        }
    }

    private void tokens(String provider, String kind, long count) {
        if (count > 0) {
            meters.counter("molecule.model.tokens", "provider", provider, "kind", kind)
                    .increment(count);
        }
    }
}
