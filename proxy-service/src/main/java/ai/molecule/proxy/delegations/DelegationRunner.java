package ai.molecule.proxy.delegations;

import ai.molecule.proxy.delegations.Delegation.Claim;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what is due: claims it in batches, holds each lease while a {@link DelegationRun} works on it, and looks again when
 * poked and at every tick. What it cannot write down it lets go of; the lease ends and somebody goes on. To be used on one event
 * loop.
 */
public final class DelegationRunner {

    private static final Logger LOGGER = LoggerFactory.getLogger(DelegationRunner.class);

    private static final int BATCH_MAX = 64;
    private static final int RENEWALS_PER_LEASE = 3;

    private final Vertx vertx;
    private final WorkStore store;
    private final DelegationRun run;
    private final DelegationLimits limits;
    private final Map<UUID, Claim> held = new HashMap<>();
    private boolean claiming;
    private boolean more;
    private boolean away;
    private boolean stopped;

    public DelegationRunner(Vertx vertx, WorkStore store, DelegationRun run, DelegationLimits limits) {
        this.vertx = vertx;
        this.store = store;
        this.run = run;
        this.limits = limits;
    }

    public void start() {
        vertx.setPeriodic(limits.tick().toMillis(), tick -> work());
        vertx.setPeriodic(limits.lease().dividedBy(RENEWALS_PER_LEASE).toMillis(), tick -> renew());
    }

    /** Something is due now. */
    public void poke() {
        work();
    }

    /** Lets go of everything, so that another replica goes on at once; whatever comes back afterwards is not looked at. */
    public Future<Void> stop() {
        stopped = true;
        run.stop();
        return held.isEmpty() ? Future.succeededFuture() : store.release(List.copyOf(held.values()));
    }

    private void work() {
        more = true;
        int room = Math.min(BATCH_MAX, limits.underWayMax() - held.size());
        if (stopped || claiming || room <= 0) {
            return;
        }
        claiming = true;
        more = false;
        store.claim(room, limits.lease()).onComplete(claimed -> {
            claiming = false;
            if (claimed.failed()) {
                if (!away) {
                    LOGGER.atWarn()
                            .setCause(claimed.cause())
                            .log("delegations cannot be claimed, trying at every tick");
                }
                away = true;
                return;
            }
            away = false;
            claimed.result().forEach(this::take);
            if (more || claimed.result().size() == room) {
                work();
            }
        });
    }

    private void take(Delegation delegation) {
        var claim = delegation.held();
        held.put(claim.id(), claim);
        run.advance(delegation).onComplete(done -> {
            held.remove(claim.id(), claim);
            if (done.failed() && !stopped) {
                LOGGER.atWarn()
                        .setCause(done.cause())
                        .addKeyValue("delegationId", delegation.delegationId())
                        .log("delegation let go, somebody goes on when its lease ends");
            }
            if (more) {
                work();
            }
        });
    }

    private void renew() {
        if (!held.isEmpty() && !stopped) {
            store.renew(List.copyOf(held.values()), limits.lease())
                    .onFailure(failure -> LOGGER.atWarn().setCause(failure).log("leases of delegations not renewed"));
        }
    }
}
