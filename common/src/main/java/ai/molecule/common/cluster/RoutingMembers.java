package ai.molecule.common.cluster;

import com.hazelcast.config.Config;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.core.spi.cluster.RegistrationListener;
import io.vertx.core.spi.cluster.RegistrationUpdateEvent;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Membership whose members tell each other when they have stopped sending to one that leaves. What a member routed to it before
 * stands ahead of that word on the same connection, so whoever has everybody's word has every call that comes.
 *
 * <p>They also look at each other, {@link #look}: one that does not answer is not asked what others serve as well. And each looks whether the
 * cluster still knows where it is and what it serves: what hung while the cluster was split may take that away after the merge, and nobody else
 * would put it back.
 */
final class RoutingMembers extends HazelcastClusterManager {

    /** A member that does not say so by then may lose a call; one that stands still must not keep another from leaving. */
    private static final int WORD_MILLIS = 2_000;

    private final Map<String, Set<String>> servers =
            new ConcurrentHashMap<>(); // as many as the addresses this member sends to
    private final Queue<Question> open = new ConcurrentLinkedQueue<>(); // one per member that leaves, for WORD_MILLIS

    /** With {@link Avoided#MISSES} and the time between looks, a member that is lost is noticed within 6 s. */
    private static final int LOOK_MILLIS = 1_500;

    private final Avoided avoided = new Avoided();

    /** Everybody who serves an address, of those that the router knows, by an update or because it asked. */
    private final Map<String, List<RegistrationInfo>> routed = new ConcurrentHashMap<>();

    /** Where the others listen, as {@code host:port}: kept, because the cluster may not say it of one that is lost. */
    private final Map<String, String> places = new ConcurrentHashMap<>();

    /** What this member serves. */
    private final Map<String, Set<RegistrationInfo>> own = new ConcurrentHashMap<>();

    /** Addresses this member may still send to a node at. */
    private record Question(String node, Set<String> addresses, Promise<Void> answer) {

        void heard(String address, Set<String> nodes) {
            if (!nodes.contains(node) && addresses.remove(address) && addresses.isEmpty()) {
                answer.tryComplete();
            }
        }
    }

    /** How often everything is to be read again: once more at the look after a change, as an update that came meanwhile may have been older. */
    private final AtomicInteger rereads = new AtomicInteger();

    /** What the last look reads and puts back behind itself. While a member is lost the cluster may not answer for 10 s. */
    private Future<Integer> behind = Future.succeededFuture(0);

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
                route(event.address(), event.registrations());
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

    /** Tells the router who serves an address, as far as this member asks them. */
    private void route(String address, List<RegistrationInfo> all) {
        var asked = avoided.without(all);
        router.registrationsUpdated(new RegistrationUpdateEvent(address, asked));
        Set<String> nodes = asked.stream().map(RegistrationInfo::nodeId).collect(Collectors.toSet());
        servers.put(address, nodes);
        routed.put(address, all);
        open.forEach(question -> question.heard(address, nodes));
    }

    @Override
    public void addRegistration(String address, RegistrationInfo one, Completable<Void> promise) {
        if (!one.localOnly()) {
            own.compute(address, (served, all) -> {
                Set<RegistrationInfo> now = all == null ? ConcurrentHashMap.newKeySet() : all;
                now.add(one);
                return now;
            });
        }
        super.addRegistration(address, one, promise);
    }

    @Override
    public void removeRegistration(String address, RegistrationInfo one, Completable<Void> promise) {
        own.computeIfPresent(address, (served, all) -> all.remove(one) && all.isEmpty() ? null : all);
        super.removeRegistration(address, one, promise);
    }

    /** As the router asks before its first message to an address. */
    @Override
    public void getRegistrations(String address, Completable<List<RegistrationInfo>> promise) {
        all(address)
                .onSuccess(found -> routed.put(address, found))
                .map(avoided::without)
                .onComplete(promise);
    }

    private Future<List<RegistrationInfo>> all(String address) {
        Promise<List<RegistrationInfo>> all = Promise.promise();
        super.getRegistrations(address, all);
        return all.future();
    }

    /** Answers the others' questions from now on. */
    Future<Void> answerOn(Vertx vertx) {
        var there = vertx.eventBus().consumer(lookAddressOf(getNodeId()), message -> message.reply(null));
        return there.completion()
                .compose(known -> vertx.eventBus()
                        .<JsonObject>consumer(
                                addressOf(getNodeId()),
                                message -> forget(message.body()).onComplete(done -> message.reply(null)))
                        .completion());
    }

    /** See {@link Neighbours#look}. */
    Future<Neighbours.Seen> look(Vertx vertx) {
        var others =
                getNodes().stream().filter(node -> !node.equals(getNodeId())).toList();
        Set<String> answered = ConcurrentHashMap.newKeySet();
        var options = new DeliveryOptions().setSendTimeout(LOOK_MILLIS).setTracingPolicy(TracingPolicy.IGNORE);
        return Future.join(others.stream()
                        .map(node -> vertx.eventBus()
                                .request(lookAddressOf(node), null, options)
                                .onComplete(answer -> {
                                    if (answer.succeeded() || isOlder(answer.cause())) {
                                        answered.add(node);
                                    }
                                }))
                        .toList())
                .otherwiseEmpty()
                .compose(looked -> {
                    if (avoided.looked(others, answered)) {
                        rereads.set(2);
                        routeByWhatIsKnown();
                    }
                    if (behind.isComplete()) {
                        behind = (rereads.get() > 0 ? reroute() : Future.<Void>succeededFuture())
                                .compose(read -> restore());
                    }
                    return Future.join(inTime(behind), inTime(learnPlaces(others)))
                            .otherwiseEmpty();
                })
                .map(done -> new Neighbours.Seen(
                        others.size(),
                        avoided.nodes().stream()
                                .map(node -> places.getOrDefault(node, node))
                                .sorted()
                                .toList(),
                        behind.isComplete() && behind.succeeded() ? behind.result() : 0));
    }

    private static <T> Future<T> inTime(Future<T> done) {
        return done.timeout(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private Future<Void> learnPlaces(List<String> others) {
        places.keySet().retainAll(others);
        return inTurn(
                others.stream().filter(node -> !places.containsKey(node)).toList(),
                node -> nodeInfo(node)
                        .onSuccess(info -> places.put(node, info.host() + ":" + info.port()))
                        .otherwiseEmpty());
    }

    /** At once, without asking the cluster, which may wait for the very member that is lost. */
    private void routeByWhatIsKnown() {
        Map.copyOf(routed).forEach((address, all) -> {
            if (router.wantsUpdatesFor(address)) {
                route(address, all);
            }
        });
    }

    /** A member of a version before this one serves no such address. Who serves nothing at all is asked nothing either. */
    private static boolean isOlder(Throwable failure) {
        return failure instanceof ReplyException reply && reply.failureType() == ReplyFailure.NO_HANDLERS;
    }

    private Future<Void> reroute() {
        routed.keySet().removeIf(address -> !router.wantsUpdatesFor(address));
        var failed = new AtomicBoolean();
        return inTurn(
                        List.copyOf(routed.keySet()),
                        address -> all(address)
                                .onSuccess(found -> route(address, found))
                                .onFailure(failure -> failed.set(true))
                                .otherwiseEmpty())
                .onSuccess(read -> {
                    if (!failed.get()) {
                        rereads.decrementAndGet();
                    }
                });
    }

    /** How many entries of this member were lost. */
    private Future<Integer> restore() {
        var lost = new AtomicInteger();
        return nodeInfo(getNodeId())
                .<Void>mapEmpty()
                .recover(notKnown -> {
                    Promise<Void> put = Promise.promise();
                    setNodeInfo(getNodeInfo(), put);
                    return put.future().onSuccess(back -> lost.incrementAndGet());
                })
                .compose(known -> inTurn(
                        List.copyOf(own.keySet()),
                        address -> all(address)
                                .compose(found -> inTurn(
                                        List.copyOf(own.getOrDefault(address, Set.of())),
                                        one -> found.contains(one) || !serves(address, one)
                                                ? Future.succeededFuture()
                                                : putBack(address, one).onSuccess(back -> lost.incrementAndGet())))))
                .map(done -> lost.get());
    }

    private boolean serves(String address, RegistrationInfo one) {
        return own.getOrDefault(address, Set.of()).contains(one);
    }

    /** Unless it is withdrawn meanwhile. */
    private Future<Void> putBack(String address, RegistrationInfo one) {
        Promise<Void> added = Promise.promise();
        super.addRegistration(address, one, added);
        return added.future().compose(back -> {
            if (serves(address, one)) {
                return Future.succeededFuture();
            }
            Promise<Void> removed = Promise.promise();
            super.removeRegistration(address, one, removed);
            return removed.future();
        });
    }

    private Future<NodeInfo> nodeInfo(String node) {
        Promise<NodeInfo> info = Promise.promise();
        getNodeInfo(node, info);
        return info.future();
    }

    /** One after the other: a worker is held by one of them at a time. */
    private static <T> Future<Void> inTurn(List<T> all, Function<T, Future<?>> each) {
        Future<Void> done = Future.succeededFuture();
        for (T one : all) {
            done = done.compose(before -> each.apply(one).mapEmpty());
        }
        return done;
    }

    private static String lookAddressOf(String node) {
        return "cluster.look." + node;
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
