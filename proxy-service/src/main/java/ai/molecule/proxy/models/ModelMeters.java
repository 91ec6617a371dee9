package ai.molecule.proxy.models;

import ai.molecule.proxy.models.ModelCallRow.Outcome;
import io.micrometer.core.instrument.MeterRegistry;

/** Figures of calls that are over, by the provider's name and how they ended: as many series as the table has providers, times eight. */
final class ModelMeters {

    private final MeterRegistry meters;

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
        if (cost != null) {
            meters.counter("molecule.model.cost.dollars", "provider", provider).increment(cost / 1e6);
        } else if (row.outcome() == Outcome.OK) {
            meters.counter("molecule.model.unpriced.calls", "provider", provider)
                    .increment();
        }
    }

    private void tokens(String provider, String kind, long count) {
        if (count > 0) {
            meters.counter("molecule.model.tokens", "provider", provider, "kind", kind)
                    .increment(count);
        }
    }
}
