package ai.molecule.common.bus.events;

import ai.molecule.common.bus.Contract;
import ai.molecule.common.bus.events.AppendActivity.Row;
import java.util.List;

/**
 * Stores activity rows whose status goes on: {@code pending}, {@code dispatched}, {@code queued}, then any other, which is the
 * last. Called by the proxy, whose delegations these rows show, in batches of at most 128. A row that is not there is inserted;
 * one that is takes the new contents when its status is an earlier one. So it may be repeated, and a late repeat changes
 * nothing. Idempotency keys are left out. Never announced.
 */
public record UpsertActivity(List<Row> rows) {

    public static final Contract<UpsertActivity, Upserted> CONTRACT =
            Contract.of("events.upsert-activity", UpsertActivity.class, Upserted.class);

    /** How many were inserted or changed. */
    public record Upserted(int count) {}
}
