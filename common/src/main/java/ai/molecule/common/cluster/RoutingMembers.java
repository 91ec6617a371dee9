package ai.molecule.common.cluster;

import com.hazelcast.config.Config;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.core.spi.cluster.RegistrationListener;
import io.vertx.core.spi.cluster.RegistrationUpdateEvent;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.Collection;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Membership whose members tell each other when they have stopped sending to one that leaves. What a member routed to it before
 * stands ahead of that word on the same connection, so whoever has everybody's word has every call that comes.
 */
final class RoutingMembers extends HazelcastClusterManager {

    /** A member that does not say so by then may lose a call; one that stands still must not keep another from leaving. */
    private static final int WORD_MILLIS = 2_000;

    private final Map<String, Set<String>> servers =
            new ConcurrentHashMap<>(); // as many as the addresses this member sends to
    private final Queue<Question> open = new ConcurrentLinkedQueue<>(); // one per member that leaves, for WORD_MILLIS

    /** Addresses this member may still send to a node at. */
    private record Question(String node, Set<String> addresses, Promise<Void> answer) {

        void heard(String address, Set<String> nodes) {
            if (!nodes.contains(node) && addresses.remove(address) && addresses.isEmpty()) {
                answer.tryComplete();
            }
        }
    }

    private volatile RegistrationListener router = new RegistrationListener() {};

    RoutingMembers(Config config) {
        super(config);
    }

    @Override
    public void registrationListener(RegistrationListener listener) {
        router = listener;
        super.registrationListener(new RegistrationListener() {

            @Override
            public void registrationsUpdated(RegistrationUpdateEvent event) {
                listener.registrationsUpdated(event);
                Set<String> nodes = event.registrations().stream()
                        .map(RegistrationInfo::nodeId)
                        .collect(Collectors.toSet());
                servers.put(event.address(), nodes);
                open.forEach(question -> question.heard(event.address(), nodes));
            }

            @Override
            public void registrationsLost() {
                listener.registrationsLost();
            }

            @Override
            public boolean wantsUpdatesFor(String address) {
                return listener.wantsUpdatesFor(address);
            }
        });
    }

    /** Answers the others' questions from now on. */
    Future<Void> answerOn(Vertx vertx) {
        return vertx.eventBus()
                .<JsonObject>consumer(
                        addressOf(getNodeId()),
                        message -> forget(message.body()).onComplete(done -> message.reply(null)))
                .completion();
    }

    private Future<Void> forget(JsonObject asked) {
        Set<String> addresses = ConcurrentHashMap.newKeySet();
        asked.getJsonArray("addresses").forEach(address -> addresses.add((String) address));
        var question = new Question(asked.getString("node"), addresses, Promise.promise());
        open.add(question);
        for (var address : Set.copyOf(addresses)) {
            var known = servers.get(address);
            if (!router.wantsUpdatesFor(address)) { // it sends nothing there, and would look the servers up
                question.heard(address, Set.of());
            } else if (known != null) {
                question.heard(address, known);
            }
        }
        return question.answer()
                .future()
                .timeout(WORD_MILLIS, TimeUnit.MILLISECONDS)
                .onComplete(done -> open.remove(question));
    }

    /** Completes when every other member said that it no longer sends to this one at these addresses, or had its time. */
    Future<?> forgotten(Vertx vertx, Collection<String> addresses) {
        var question = new JsonObject()
                .put("node", getNodeId())
                .put("addresses", new JsonArray(addresses.stream().distinct().toList()));
        var options = new DeliveryOptions().setSendTimeout(2 * WORD_MILLIS);
        return Future.join(getNodes().stream()
                .filter(node -> !node.equals(getNodeId()))
                .map(node -> vertx.eventBus().request(addressOf(node), question, options))
                .toList());
    }

    private static String addressOf(String node) {
        return "cluster.forget." + node;
    }
}
