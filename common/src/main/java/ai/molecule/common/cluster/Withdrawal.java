package ai.molecule.common.cluster;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.RegistrationInfo;
import java.util.Collection;
import java.util.List;

/**
 * Tells the other members that an address is served here no more, while its handler stays: what was sent before they heard of
 * it is still answered. Unregistering the consumer would do both at once, and a message that meets no handler is lost in
 * silence until its sender's deadline.
 */
public final class Withdrawal {

    private Withdrawal() {}

    /** Completes when the cluster knows; at once where there is none. */
    public static Future<?> of(Vertx vertx, Collection<String> addresses) {
        var manager = ((VertxInternal) vertx).clusterManager();
        if (manager == null) {
            return Future.succeededFuture();
        }
        return Future.join(
                addresses.stream().map(address -> withdraw(manager, address)).toList());
    }

    private static Future<?> withdraw(ClusterManager manager, String address) {
        Promise<List<RegistrationInfo>> known = Promise.promise();
        manager.getRegistrations(address, known);
        return known.future()
                .compose(registrations -> Future.join(registrations.stream()
                        .filter(one -> one.nodeId().equals(manager.getNodeId()))
                        .map(one -> {
                            Promise<Void> removed = Promise.promise();
                            manager.removeRegistration(address, one, removed);
                            return removed.future();
                        })
                        .toList()));
    }
}
