package ai.molecule.common.cluster;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.RegistrationInfo;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

    /**
     * As {@link #of}, for a while: only of those addresses that another member serves too, for whoever is the last answers better than nobody.
     *
     * @return what {@link #undo} takes back
     */
    public static Future<Map<String, List<RegistrationInfo>>> whereOthersServe(
            Vertx vertx, Collection<String> addresses) {
        var manager = ((VertxInternal) vertx).clusterManager();
        if (manager == null) {
            return Future.succeededFuture(Map.of());
        }
        Map<String, List<RegistrationInfo>> withdrawn = new ConcurrentHashMap<>();
        return Future.join(Set.copyOf(addresses).stream()
                        .map(address -> registrations(manager, address).compose(all -> {
                            var ours = all.stream()
                                    .filter(one -> one.nodeId().equals(manager.getNodeId()))
                                    .toList();
                            if (ours.isEmpty() || ours.size() == all.size()) {
                                return Future.succeededFuture();
                            }
                            withdrawn.put(address, ours);
                            return remove(manager, address, ours);
                        }))
                        .toList())
                .map(withdrawn);
    }

    /** The addresses are served here again. */
    public static Future<?> undo(Vertx vertx, Map<String, List<RegistrationInfo>> withdrawn) {
        var manager = ((VertxInternal) vertx).clusterManager();
        return Future.join(withdrawn.entrySet().stream()
                .flatMap(entry -> entry.getValue().stream().map(one -> {
                    Promise<Void> added = Promise.promise();
                    manager.addRegistration(entry.getKey(), one, added);
                    return added.future();
                }))
                .toList());
    }

    /** Whether the members know that an address is served here; always where there are none. */
    public static Future<Boolean> isServedHere(Vertx vertx, String address) {
        var manager = ((VertxInternal) vertx).clusterManager();
        return manager == null
                ? Future.succeededFuture(true)
                : registrations(manager, address)
                        .map(all -> all.stream().anyMatch(one -> one.nodeId().equals(manager.getNodeId())));
    }

    private static Future<?> withdraw(ClusterManager manager, String address) {
        return registrations(manager, address)
                .compose(all -> remove(
                        manager,
                        address,
                        all.stream()
                                .filter(one -> one.nodeId().equals(manager.getNodeId()))
                                .toList()));
    }

    private static Future<List<RegistrationInfo>> registrations(ClusterManager manager, String address) {
        Promise<List<RegistrationInfo>> known = Promise.promise();
        manager.getRegistrations(address, known);
        return known.future();
    }

    private static Future<?> remove(ClusterManager manager, String address, List<RegistrationInfo> registrations) {
        return Future.join(registrations.stream()
                .map(one -> {
                    Promise<Void> removed = Promise.promise();
                    manager.removeRegistration(address, one, removed);
                    return removed.future();
                })
                .toList());
    }
}
