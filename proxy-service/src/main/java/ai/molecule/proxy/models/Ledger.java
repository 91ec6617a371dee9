package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.leases.RenewalStreak;
import ai.molecule.common.loops.GroupCommit;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.loops.Pruning;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.proxy.models.ModelCallRow.Outcome;
import ai.molecule.proxy.models.PgLedgerStore.Ask;
import ai.molecule.proxy.models.PgLedgerStore.LastWord;
import ai.molecule.proxy.spending.PgSpending;
import ai.molecule.proxy.spending.SpendingLimits;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was spent and what is promised. A call is promised money before it leaves, its row books what it cost and ends the promise, in one
 * statement for many calls. While PostgreSQL is away rows wait here, and who has a budget is refused. Promises of calls that live are
 * renewed, with what they have come to: of a killed proxy that stays spent and the rest comes back. To be used on one event loop.
 */
final class Ledger {

    private static final Logger LOGGER = LoggerFactory.getLogger(Ledger.class);

    private static final Map<String, Object> BUDGET_EXCEEDED = Map.of("code", "budget_exceeded");

    /** What bounds nothing: a refusal by which a program knows that no key is wrong. */
    private static final Map<String, Object> NO_PRICE = Map.of("code", "no_price");

    private static final long MICROS_PER_CENT = 10_000;

    private static final GroupCommit.Bounds WRITING =
            new GroupCommit.Bounds(128, Long.MAX_VALUE, 10_000, Long.MAX_VALUE, Duration.ZERO, Duration.ofSeconds(12));

    /** A row that could not be written is tried again so often, a second apart; then the log has it. */
    private static final int TRIES_MAX = 300;

    private static final long TRY_AGAIN_MILLIS = 1_000;

    /** Nineteen renewals may be lost. */
    private static final Duration PROMISED_FOR = Duration.ofSeconds(20);

    /** What a killed proxy passed on since the last of them is not known. */
    private static final Duration RENEW = Duration.ofSeconds(1);

    private static final Duration PRUNE = Duration.ofMinutes(10);
    private static final Duration RUN_MAX = Duration.ofSeconds(12);
    private static final int EXPIRED_MAX = 1_000;
    private static final int PRUNED_MAX = 10_000;

    private static final Duration BUDGET_AGE_MAX = Duration.ofSeconds(2);
    private static final int BUDGETS_MAX = 10_000;

    /** What a workspace may spend, and what else its call counts for. */
    private record Bounds(BudgetOf.Standing standing, List<ModelAccount> parts, SpendingLimits organization) {

        List<ModelAccount> accounts(Instant now) {
            return Stream.of(
                            ModelAccount.of(standing, now), parts, List.of(ModelAccount.ofDay(now, organization.day())))
                    .flatMap(List::stream)
                    .toList();
        }
    }

    private final Vertx vertx;
    private final Bus bus;
    private final PgLedgerStore store;
    private final PgCallPlaces places;
    private final PgSpending spending;
    private final PriceBook prices;
    private final PgMoneyWaits waits;
    private final ModelMeters meters;
    private final ModelLimits limits;
    private final GroupCommit<ModelCallRow> writing;
    private final BriefCache<UUID, BudgetOf.Standing> budgets = new BriefCache<>(
            BUDGET_AGE_MAX,
            BUDGETS_MAX,
            (id, standing) -> Stream.concat(
                            Stream.of(id), standing.teams().stream().map(BudgetOf.Team::id))
                    .toList());
    /** Calls under way that were promised money; what each has come to. */
    private final Map<UUID, Supplier<LastWord>> promised = new HashMap<>();

    private final Loop renewing;
    private final RenewalStreak streak = RenewalStreak.proven(PROMISED_FOR);
    private final List<Pruning> prunings;
    private int waiting;
    private boolean stopped;

    Ledger(
            Vertx vertx,
            Bus bus,
            PgLedgerStore store,
            PgCallPlaces places,
            PgSpending spending,
            PriceBook prices,
            PgMoneyWaits waits,
            ModelLimits limits,
            Duration keep,
            Reconcilers reconcilers,
            ModelMeters meters) {
        this.meters = meters;
        this.vertx = vertx;
        this.places = places;
        this.spending = spending;
        this.prices = prices;
        this.waits = waits;
        this.bus = bus;
        this.store = store;
        this.limits = limits;
        this.writing = new GroupCommit<>(vertx, WRITING, row -> 1, ApiError.platformUnavailable(), store::settle);
        bus.listen(WorkspaceChanged.HINT, hint -> budgets.dropTagged(hint.workspaceId()));
        this.renewing = new Loop(
                vertx,
                reconcilers.add("model-promises", "renews what calls under way were promised, ends what nobody renews"),
                "PostgreSQL",
                new Loop.Times(RENEW, RUN_MAX),
                this::renew);
        this.prunings = List.of(
                new Pruning(
                        vertx,
                        reconcilers.add("model-calls", "forgets calls of models that are long over"),
                        PRUNE,
                        PRUNED_MAX,
                        max -> store.prune(keep, max)),
                new Pruning(
                        vertx,
                        reconcilers.add("model-accounts", "forgets what was spent in months and runs of long ago"),
                        PRUNE,
                        PRUNED_MAX,
                        max -> store.pruneAccounts(keep, max)));
    }

    Ledger start() {
        renewing.start();
        prunings.forEach(Pruning::start);
        return this;
    }

    /** Whether another call's row will find a place. */
    boolean hasRoom() {
        return waiting < WRITING.waitingMax();
    }

    /**
     * Money for a call's input and the beginning of its output. Fails with BUDGET_EXCEEDED; under a limit that somebody chose also with
     * FORBIDDEN for a model without a price, which no budget could bound.
     *
     * @param demand asked where a budget bounds the call
     */
    Future<Allowance> allow(PlannedCall call, ModelDemand.Question demand) {
        var standings = standingOf(call.workspaceId());
        var organization = spending.current();
        return places.of(call)
                .compose(parts -> standings.compose(
                        standing -> organization.map(limitsOfAll -> new Bounds(standing, parts, limitsOfAll))))
                .compose(bounds -> {
                    var standing = bounds.standing;
                    var teams = bounds.accounts(call.startedAt());
                    boolean bounded = standing.limitCents() != null
                            || teams.stream().anyMatch(team -> team.limitMicros() != null);
                    return bounded
                            ? promise(call, demand, standing, teams)
                            : Future.succeededFuture(Allowance.withoutLimit(teams));
                });
    }

    /** What a workspace may spend, and who is above it. Fails with NOT_FOUND. */
    Future<BudgetOf.Standing> standingOf(UUID workspaceId) {
        return budgets.get(workspaceId, id -> bus.call(BudgetOf.CONTRACT, new BudgetOf(id)));
    }

    /** For a call that was answered: what has no price is asked about. */
    void answered(PlannedCall call) {
        if (call.chosen().price() == null) {
            prices.ask(call);
        }
    }

    /** Completes when the row is there, or given up. */
    Future<Void> write(ModelCallRow row) {
        waiting++;
        meters.over(row);
        promised.remove(row.id());
        Promise<Void> over = Promise.promise();
        write(row, 1, over);
        return over.future().onComplete(done -> waiting--);
    }

    /** To be called when no call is under way any more: completes when all rows are written, or at the deadline. */
    Future<?> stop(Duration deadline) {
        stopped = true;
        return Future.join(
                        renewing.stop(),
                        Future.join(prunings.stream().map(Pruning::stop).toList()),
                        writing.flush())
                .timeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .otherwiseEmpty();
    }

    private Future<Allowance> promise(
            PlannedCall call, ModelDemand.Question demand, BudgetOf.Standing standing, List<ModelAccount> teams) {
        var chosen = call.chosen();
        var known = chosen.price();
        boolean strict = standing.limitCents() != null || teams.stream().anyMatch(ModelAccount::isStrict);
        if (known == null && !strict) {
            return Future.succeededFuture(Allowance.withoutLimit(teams));
        }
        if (known == null) {
            prices.ask(call);
            return Future.failedFuture(new ApiError(
                    ApiError.Kind.FORBIDDEN,
                    "what this call is for has a budget and nobody knows what %s:%s costs: give its price (PUT /settings/prices, or \"molecule price\"), 0 where it costs nothing"
                            .formatted(chosen.provider().name(), chosen.model()),
                    NO_PRICE));
        }
        if (known.isFree()) {
            return Future.succeededFuture(Allowance.withoutLimit(teams));
        }
        ModelDemand needed;
        try {
            needed = demand.at(known, strict);
        } catch (ApiError unbounded) {
            return Future.failedFuture(unbounded);
        }
        var price = known.forPrompt(needed.input());
        var cost = Reservation.of(needed, price);
        LocalDate period = ModelCallRow.periodOf(call.startedAt());
        Long limitCents = standing.limitCents();
        Long limit = limitCents == null ? null : Long.valueOf(micros(limitCents));
        long reported = micros(Math.max(0, standing.reportedCents()));
        String about = call.toJson(teams);
        var begun = wordOf(call, price, 0, about);
        promised.put(call.id(), () -> begun);
        var ask = new Ask(
                call.id(), call.workspaceId(), period, cost.least(), cost.wanted(), reported, limit, teams, begun);
        return reserve(ask)
                .onFailure(unheard -> endUnheard(call, teams))
                .compose(granted -> granted > 0 ? Future.succeededFuture(granted) : refused(ask))
                .map(granted -> {
                    var allowance = new Allowance(
                            cost.tokens(granted),
                            limits.slice(),
                            teams,
                            cost.outputMax(granted),
                            (written, tokens) -> more(ask, wordOf(call, price, written, about), price, tokens));
                    promised.replace(call.id(), () -> wordOf(call, price, allowance.written(), about));
                    return allowance;
                })
                .onFailure(refused -> {
                    promised.remove(call.id());
                    if (refused instanceof ApiError error && error.kind() == ApiError.Kind.BUDGET_EXCEEDED) {
                        waits.refused(call)
                                .onFailure(failure -> LOGGER.atWarn()
                                        .setCause(failure)
                                        .addKeyValue("workspaceId", call.workspaceId())
                                        .log("a task that rests for money is not known to: its clock goes on"));
                    }
                });
    }

    /**
     * Money may have been promised though the answer was lost: a row that nothing left ends such a promise and books nothing. In a long
     * outage these rows leave half the room to those of calls that did leave.
     */
    private void endUnheard(PlannedCall call, List<ModelAccount> teams) {
        if (waiting < WRITING.waitingMax() / 2) {
            write(neverLeft(call, teams));
        }
    }

    private static ModelCallRow neverLeft(PlannedCall call, List<ModelAccount> teams) {
        return new ModelCallRow(
                call.id(),
                call.workspaceId(),
                call.context(),
                call.traceId(),
                call.chosen().provider().name(),
                call.chosen().model(),
                call.operation(),
                ModelUsage.NONE,
                0L,
                false,
                Outcome.UNREACHABLE,
                0,
                call.startedAt(),
                Duration.ZERO,
                teams,
                1,
                call.insteadOf(),
                call.behalf());
    }

    /** Of an answer that comes whole nothing is seen until it is there, and its provider writes it whoever waits. */
    private static LastWord wordOf(PlannedCall call, ModelPrice price, long written, String about) {
        Long used = call.streams() ? Long.valueOf(price.micros(ModelUsage.of(call.input(), written))) : null;
        return new LastWord(used, written, about);
    }

    private static long micros(long cents) {
        return Math.min(cents, Long.MAX_VALUE / MICROS_PER_CENT) * MICROS_PER_CENT;
    }

    private Future<Long> more(Ask first, LastWord word, ModelPrice price, int tokens) {
        long micros = price.micros(ModelUsage.of(0, tokens));
        if (micros == 0) {
            return Future.succeededFuture((long) Integer.MAX_VALUE);
        }
        return reserve(first.asking(Math.min(micros, price.micros(ModelUsage.of(0, limits.slice()))), micros, word))
                .map(granted -> granted == 0 ? 0 : Math.max(1, Reservation.tokensFor(price, granted)));
    }

    /** What ended calls were promised is free when their rows are written; who finds nothing left waits for those on their way, once. */
    private Future<Long> reserve(Ask ask) {
        return store.reserve(ask, PROMISED_FOR)
                .compose(granted -> granted > 0 || writing.waiting() == 0
                        ? Future.succeededFuture(granted)
                        : writing.flush().compose(written -> store.reserve(ask, PROMISED_FOR)));
    }

    /** Fails with what bounds the call, what of it is spent, and how more is allowed. */
    private Future<Long> refused(Ask ask) {
        var limited = ask.teams().stream()
                .filter(account -> account.limitMicros() != null)
                .toList();
        return store.standings(limited)
                .otherwise(List.of()) // it is refused all the same
                .compose(standings -> Future.failedFuture(new UsedUp(ask, limited, standings).error()));
    }

    /** What a stream ends with that may write no more. */
    static ApiError stopped() {
        return new ApiError(
                ApiError.Kind.BUDGET_EXCEEDED,
                "what this workspace, a team above it, its run or the organization may spend is used up, so the answer ends here: raise the limit (PATCH /workspaces/:id/budget, PATCH /work/:id, PUT /settings/spending)",
                BUDGET_EXCEEDED);
    }

    private void write(ModelCallRow row, int attempt, Promise<Void> over) {
        writing.add(row).onSuccess(written -> over.complete()).onFailure(failure -> {
            if (stopped || attempt >= TRIES_MAX || !isAway(failure)) {
                LOGGER.atError()
                        .setCause(failure)
                        .addKeyValue("workspaceId", row.workspaceId())
                        .addKeyValue("provider", row.provider())
                        .addKeyValue("model", row.model())
                        .addKeyValue("costMicros", row.costMicros())
                        .log("a call of a model was not written down");
                over.complete();
            } else {
                vertx.setTimer(TRY_AGAIN_MILLIS, again -> write(row, attempt + 1, over));
            }
        });
    }

    private static boolean isAway(Throwable failure) {
        return failure instanceof ApiError
                || failure instanceof TimeoutException
                || Postgres.outage(failure).isPresent();
    }

    private Future<String> renew() {
        Map<UUID, LastWord> words = new HashMap<>();
        promised.forEach((id, word) -> words.put(id, word.get()));
        return store.renew(words, PROMISED_FOR)
                .onSuccess(streak::renewed)
                .compose(at -> endExpired())
                .map(ended -> "renewed %d, ended %d".formatted(words.size(), ended));
    }

    /** Of proxies that died: those that live had a promise's time to renew theirs, or nobody is judged. */
    private Future<Integer> endExpired() {
        var until = streak.judgesUntil();
        return until.isEmpty()
                ? Future.succeededFuture(0)
                : store.endExpired(Set.copyOf(promised.keySet()), until.get(), EXPIRED_MAX);
    }
}
