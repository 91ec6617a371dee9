package ai.molecule.proxy.models.pricelist;

import ai.molecule.common.json.Json;
import ai.molecule.common.models.PriceList;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.common.service.ServiceContext;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The price list that an operator named goes before the one that comes along. One proxy looks for a newer one, once a day and a little more,
 * and keeps it in PostgreSQL for all. What is not signed by the operator's key, dated before the list in force, to come, or wrong changes
 * nothing: that is logged, kept with the reason, and tried again after an hour. A list that was taken under another key counts no more. To
 * be used on one event loop.
 */
public final class PriceLists {

    private static final Logger LOGGER = LoggerFactory.getLogger(PriceLists.class);

    private static final Duration DAILY = Duration.ofDays(1);
    private static final Duration AFTER_FAILURE = Duration.ofHours(1);

    /** So that platforms that were started together do not ask a publisher together. */
    private static final Duration JITTER_MAX = Duration.ofHours(1);

    /** It may be tomorrow where it was published. One from far ahead would keep out all that follow. */
    private static final int DAYS_AHEAD_MAX = 1;

    private static final int REASON_MAX_CHARS = 500;
    private static final String SHIPPED = "shipped";

    /** A list that was taken. */
    private record Taken(PriceList list, String from, Instant at) {}

    /** As of a version of the row. */
    private record Known(long version, Optional<Taken> taken) {}

    private final Vertx vertx;
    private final Optional<PriceListConfig> config;
    private final PgPriceList store;
    private final PriceListFetch fetch;
    private final Clock clock;
    private final Duration jitter;
    private Known known = new Known(0, Optional.empty());
    private boolean looked;

    private PriceLists(
            Vertx vertx,
            Optional<PriceListConfig> config,
            PgPriceList store,
            PriceListFetch fetch,
            Clock clock,
            Duration jitter) {
        this.vertx = vertx;
        this.config = config;
        this.store = store;
        this.fetch = fetch;
        this.clock = clock;
        this.jitter = jitter;
    }

    /** @param config empty where the list that comes along is all there is */
    public static PriceLists of(
            ServiceContext service, SafeDialer dialer, Optional<PriceListConfig> config, Clock clock) {
        return new PriceLists(
                service.vertx(),
                config,
                new PgPriceList(service.database()),
                new PriceListFetch(service.vertx(), dialer),
                clock,
                Duration.ofMillis(RandomGenerator.getDefault().nextLong(JITTER_MAX.toMillis())));
    }

    /** A table with the prices of the list in force before its own. */
    public Future<ProviderTable> on(ProviderTable table) {
        return current()
                .map(now -> now.taken
                        .map(taken -> table.withPrices(taken.list.prices()))
                        .orElse(table));
    }

    /** Looks for a newer list where it is time to, and this proxy's turn. What came of the last look, whoever looked, is what it completes with. */
    public Future<RunReport.Outcome> renew() {
        var from = config.orElseThrow();
        boolean anyway = !looked && !from.isUrl(); // a file may be another one since the last start
        return store.claim(from.shown(), from.keysText(), AFTER_FAILURE, anyway)
                .compose(mine -> {
                    looked = true;
                    return mine ? look(from) : Future.succeededFuture();
                })
                .compose(done -> current())
                .compose(now -> store.look().map(last -> outcome(from, now, last)));
    }

    /**
     * {@code {"dated","source","taken_at","renewal"}}: the list in force, {@code shipped} or from where; {@code renewal} null where none is
     * named, else {@code {"source","tried_at","failure"}} of the last look.
     */
    public Future<ObjectNode> standing() {
        return current().compose(now -> {
            var body = Json.object()
                    .put("dated", datedOf(now).toString())
                    .put("source", now.taken.map(Taken::from).orElse(SHIPPED))
                    .put("taken_at", now.taken.map(taken -> Json.time(taken.at)).orElse(null));
            if (config.isEmpty()) {
                return Future.succeededFuture(body.putNull("renewal"));
            }
            return store.look().map(last -> {
                body.putObject("renewal")
                        .put("source", config.get().shown())
                        .put("tried_at", Json.timeOrNull(last.triedAt()))
                        .put("failure", last.failure());
                return body;
            });
        });
    }

    private Future<Known> current() {
        return config.isEmpty()
                ? Future.succeededFuture(known)
                : store.version()
                        .compose(version -> version == known.version ? Future.succeededFuture(known) : load(version));
    }

    /** What was kept is checked again: a key that was taken away signs nothing, whatever it signed before. */
    private Future<Known> load(long version) {
        var from = config.orElseThrow();
        return store.kept()
                .compose(kept -> vertx.executeBlocking(() -> kept.flatMap(one -> believed(from, one)), false)
                        .map(taken ->
                                new Known(kept.map(PgPriceList.Kept::version).orElse(version), taken)))
                .map(read -> {
                    known = read.taken.isPresent() ? read : new Known(read.version, known.taken);
                    return known;
                });
    }

    private static Optional<Taken> believed(PriceListConfig from, PgPriceList.Kept kept) {
        if (!from.keys().haveSigned(kept.content(), kept.signature())) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Taken(PriceList.read(kept.content(), "it"), kept.from(), kept.takenAt()));
        } catch (IllegalArgumentException ofAnotherVersion) {
            return Optional.empty();
        }
    }

    private Future<Void> look(PriceListConfig from) {
        return fetch.read(from)
                .compose(read ->
                        vertx.executeBlocking(() -> checked(from, read), false).compose(list -> take(from, read, list)))
                .recover(why -> refuse(from, reasonOf(why)));
    }

    private PriceList checked(PriceListConfig from, PriceListFetch.Fetched read) {
        if (!from.keys().haveSigned(read.content(), read.signature())) {
            throw new UnusablePriceList("it is not signed by a key in " + PriceListConfig.KEY);
        }
        var list = PriceList.read(read.content(), "it");
        var latest = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).plusDays(DAYS_AHEAD_MAX);
        if (list.dated().isAfter(latest)) {
            throw new UnusablePriceList("it is dated %s, a day to come".formatted(list.dated()));
        }
        return list;
    }

    private Future<Void> take(PriceListConfig from, PriceListFetch.Fetched read, PriceList list) {
        return current().compose(now -> {
            var before = now.taken.map(taken -> taken.list.dated());
            if (before.isPresent() && list.dated().isBefore(before.get())) {
                throw new UnusablePriceList("it is dated %s, before the list in force, which is dated %s"
                        .formatted(list.dated(), before.get()));
            }
            return store.take(now.version, read, from.shown(), DAILY.plus(jitter))
                    .map(taken -> {
                        if (!taken) {
                            throw new UnusablePriceList("another proxy took a list at the same time");
                        }
                        LOGGER.atInfo()
                                .addKeyValue("source", from.shown())
                                .addKeyValue("dated", list.dated())
                                .log("the price list is in force");
                        return null;
                    });
        });
    }

    private Future<Void> refuse(PriceListConfig from, String why) {
        LOGGER.atWarn()
                .addKeyValue("source", from.shown())
                .addKeyValue("why", why)
                .log("the price list was not taken, the one before stays in force");
        return store.refuse(why, AFTER_FAILURE.plus(jitter));
    }

    private static String reasonOf(Throwable why) {
        String words = why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
        boolean said = why instanceof UnusablePriceList || why instanceof IllegalArgumentException;
        String reason = said ? words : "it cannot be read: " + words;
        return reason.length() <= REASON_MAX_CHARS ? reason : reason.substring(0, REASON_MAX_CHARS);
    }

    private static LocalDate datedOf(Known now) {
        return now.taken
                .map(taken -> taken.list.dated())
                .orElseGet(() -> PriceList.shipped().dated());
    }

    private static RunReport.Outcome outcome(PriceListConfig from, Known now, PgPriceList.Look last) {
        String failure = last.failure();
        return new RunReport.Outcome(
                "the list of %s is in force".formatted(datedOf(now)),
                failure == null ? null : "the price list %s was not taken: %s".formatted(from.shown(), failure),
                failure == null);
    }
}
