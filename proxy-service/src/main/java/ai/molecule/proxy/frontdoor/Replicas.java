package ai.molecule.proxy.frontdoor;

import ai.molecule.common.loops.Loop;
import ai.molecule.common.net.NameLookup;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.routing.Owner;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The replicas of one owner. While there may be several, their names are looked up and each address is asked whether it is
 * ready once a second; the ready ones take requests in turn. When none says so, all are tried: asking may be what fails. A single
 * address is neither looked up nor asked. Used on one event loop.
 */
final class Replicas {

    private static final Loop.Times TIMES = new Loop.Times(Duration.ofSeconds(1), Duration.ofSeconds(5));
    private static final Duration ANSWER_AMONG_SEVERAL = Duration.ofSeconds(1);

    /** A busy machine makes a service late, and to refuse what another replica cannot answer either helps nobody. */
    private static final Duration ANSWER_ALONE = Duration.ofSeconds(5);

    /** More addresses than a deployment has; a name with more is cut. */
    private static final int ADDRESSES_MAX = 100;

    private final Vertx vertx;
    private final HttpClient client;
    private final NameLookup lookup;
    private final List<URI> urls;
    private List<SocketAddress> known;
    private Set<SocketAddress> ready;
    private int next;

    /** @param owner whose they are */
    Replicas(Vertx vertx, HttpClient client, NameLookup lookup, List<URI> urls, Reconcilers reconcilers, Owner owner) {
        this.vertx = vertx;
        this.client = client;
        this.lookup = lookup;
        this.urls = urls;
        this.known = urls.stream()
                .map(url -> SocketAddress.inetSocketAddress(portOf(url), url.getHost()))
                .toList();
        this.ready = Set.copyOf(known);
        if (urls.size() > 1 || !isLiteral(urls.getFirst().getHost())) {
            String name = owner.name().toLowerCase(Locale.ROOT);
            var loop = new Loop(
                    vertx,
                    reconcilers.add("replicas-of-" + name, "looks which replicas of the %s are ready".formatted(name)),
                    "the name service",
                    TIMES,
                    this::look);
            vertx.runOnContext(now -> loop.start().poke());
        }
    }

    /** Whom to ask, and whom when nobody answers there: those that are ready first, each time beginning with another. */
    List<SocketAddress> inTurn() {
        int size = known.size();
        if (size == 1) {
            return known;
        }
        next = (next + 1) % size;
        List<SocketAddress> first = new ArrayList<>(size);
        List<SocketAddress> last = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            var address = known.get((next + i) % size);
            (ready.contains(address) ? first : last).add(address);
        }
        first.addAll(last);
        return first;
    }

    /** How long to wait for a replica's answer whether it is ready: longer where no other could answer instead. */
    static Duration patience(Collection<Replicas> owners, SocketAddress address) {
        return owners.stream().anyMatch(those -> those.known.size() > 1 && those.known.contains(address))
                ? ANSWER_AMONG_SEVERAL
                : ANSWER_ALONE;
    }

    boolean knows(SocketAddress address) {
        return known.contains(address);
    }

    /** Until it says that it is ready. */
    void isDown(SocketAddress address) {
        if (known.size() > 1) {
            var others = new LinkedHashSet<>(ready);
            others.remove(address);
            ready = others;
        }
    }

    private Future<?> look() {
        return vertx.executeBlocking(this::lookUp, false).compose(this::ask);
    }

    private List<SocketAddress> lookUp() throws UnknownHostException {
        Set<SocketAddress> found = new LinkedHashSet<>();
        UnknownHostException unknown = null;
        for (var url : urls) {
            try {
                for (InetAddress address : lookup.addressesOf(url.getHost())) {
                    found.add(SocketAddress.inetSocketAddress(portOf(url), address.getHostAddress()));
                }
            } catch (UnknownHostException failure) {
                unknown = failure; // a name exists only while a replica does, on some platforms
            }
        }
        if (found.isEmpty() && unknown != null) {
            throw unknown;
        }
        return found.stream().limit(ADDRESSES_MAX).toList();
    }

    private Future<?> ask(List<SocketAddress> found) {
        if (found.size() == 1) {
            known = found;
            ready = Set.copyOf(found);
            return Future.succeededFuture(1);
        }
        return Future.join(found.stream().map(this::isReady).toList()).map(answers -> {
            Set<SocketAddress> answering = new LinkedHashSet<>();
            for (int i = 0; i < found.size(); i++) {
                if (answers.<Boolean>resultAt(i)) {
                    answering.add(found.get(i));
                }
            }
            known = found;
            ready = answering;
            return answering.size();
        });
    }

    private Future<Boolean> isReady(SocketAddress address) {
        return answer(client, address, ANSWER_AMONG_SEVERAL)
                .map(status -> status == 200)
                .otherwise(false);
    }

    /** What an owner answers when it is asked whether it is ready; fails when that is nothing within the patience. */
    static Future<Integer> answer(HttpClient client, SocketAddress address, Duration patience) {
        var opening = client.request(new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setServer(address)
                .setHost("localhost") // a name that every service answers to
                .setPort(address.port())
                .setURI("/ready"));
        return opening.compose(HttpClientRequest::send)
                .compose(answer -> answer.end().map(answer.statusCode()))
                .timeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(silent ->
                        opening.onSuccess(HttpClientRequest::reset)); // or each look would leave a connection behind
    }

    static int portOf(URI url) {
        return url.getPort() > 0 ? url.getPort() : 80;
    }

    private static boolean isLiteral(String host) {
        return host.startsWith("[") || host.chars().allMatch(c -> c == '.' || Character.isDigit(c));
    }
}
