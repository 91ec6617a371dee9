package ai.molecule.common.cluster;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.RegistrationInfo;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Tells the other members that an address is no longer served here, but keeps its handler: calls sent before they heard of it are
 * still answered. Unregistering the consumer would do both at once, and a message that finds no handler gets no answer at all;
 * its sender would wait for the whole deadline.
 */
public final class Withdrawal {

    /** What another thread of a member was about to send when the member gave its word is on its way for no longer than this. */
    private static final long SENDING_MILLIS = 250;

    private Withdrawal() {}

    /** Completes when the members know; at once where there are none. */
    public static Future<?> of(Vertx vertx, Collection<String> addresses) {
        var manager = ((VertxInternal) vertx).clusterManager();
        if (manager == null) {
            return Future.succeededFuture();
        }
        return Future.join(addresses.stream()
                        .map(address -> withdraw(manager, address))
                        .toList())
                .eventually(() -> manager instanceof RoutingMembers members
                        ? members.forgotten(vertx, addresses)
                        : Future.succeededFuture())
                .eventually(() -> vertx.timer(SENDING_MILLIS, TimeUnit.MILLISECONDS));
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
