package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Behalf;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.CheckPassport.Checked;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.models.Provider;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.common.models.ProviderTable.Chosen;
import ai.molecule.common.tracing.RpcFact;
import ai.molecule.proxy.models.ModelCallRow.Outcome;
import ai.molecule.proxy.models.ProviderAccesses.Access;
import ai.molecule.proxy.models.ProviderPlaces.Place;
import ai.molecule.proxy.models.translation.HeldAnswers;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.streams.EventRoom;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls out: which provider, whose key, is there a place, is there money, in this order, and only then anything leaves. Where the
 * provider cannot answer, the next one of the route is asked in the same way. To be used on one event loop.
 */
final class ModelCalls {

    private static final Pattern CONTEXT = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
    private static final int TRACE_ID_START = 3;
    private static final int TRACE_ID_END = 35;

    private final Vertx vertx;
    private final ProviderTable table;
    private final ModelLimits limits;
    private final PgProviderPaces paces;
    private final ProviderAccesses accesses;
    private final ModelAliases aliases;
    private final PriceBook prices;
    private final ProviderDialler dialler;
    private final Ledger ledger;
    private final ProviderWaits waits;
    private final PassportBook passports;
    private final Clock clock;

    /** The addresses a table names are asked together, one of a workspace's own alone. */
    private record LineKey(String provider, @Nullable UUID workspaceId, boolean trusted) {}

    private record PlacesKey(String provider, UUID owner) {}

    /** Of events that have not ended, as much as of requests. */
    private final EventRoom eventRoom;

    /** Of answers that are translated. */
    private final HeldAnswers answers;

    private static final UUID NOBODY = new UUID(0, 0);

    private final Map<LineKey, ProviderLine> lines = new HashMap<>();
    private final Map<PlacesKey, ProviderPlaces> places = new HashMap<>();
    private final RequestRoom room;
    private final Set<Asking> underWay = new HashSet<>();
    private final Set<ModelCall> passing = new HashSet<>();
    private boolean stopped;

    ModelCalls(
            Vertx vertx,
            ModelsConfig config,
            ProviderAccesses accesses,
            ModelAliases aliases,
            PriceBook prices,
            PgProviderPaces paces,
            ProviderDialler dialler,
            Ledger ledger,
            ProviderWaits waits,
            PassportBook passports,
            Clock clock) {
        this.passports = passports;
        this.vertx = vertx;
        this.paces = paces;
        this.table = config.providers();
        this.limits = config.limits();
        this.eventRoom = new EventRoom(limits.requestsMaxBytes());
        this.answers = new HeldAnswers(limits.requestMaxBytes(), limits.requestsMaxBytes());
        this.accesses = accesses;
        this.aliases = aliases;
        this.prices = prices;
        this.dialler = dialler;
        this.room = new RequestRoom(limits);
        this.ledger = ledger;
        this.waits = waits;
        this.clock = clock;
    }

    /** Throws UNAVAILABLE while there is no room for a request, or for its row. */
    void requireRoom() {
        if (stopped || room.isFull() || !ledger.hasRoom()) {
            throw ApiError.platformUnavailable();
        }
    }

    /** @return fails with what the caller is to be told when nothing left; else the answer, whatever it is, goes to the caller */
    Future<?> make(RoutingContext ctx, UUID workspaceId, ModelRequest request) {
        var operation = request.operation();
        var asking = begin(new Asking(ctx, workspaceId, request));
        return behalf(asking)
                .compose(known -> aliases.tableFor(workspaceId, request.model()))
                .compose(known -> {
                    var route = known.route(
                            operation.protocol(),
                            provider -> operation.at(provider).isPresent(),
                            request.model());
                    asking.takes(RequestForms.of(request, route));
                    return ask(asking, 0);
                })
                .onFailure(refused -> asking.end());
    }

    /** Under a passport that was revoked nothing is asked any more; while nobody can tell its call names none. */
    private Future<?> behalf(Asking asking) {
        String shown = asking.ctx.request().getHeader(PassportBook.HEADER);
        if (shown == null || shown.isBlank()) {
            return Future.succeededFuture();
        }
        return passports
                .check(asking.workspaceId, shown)
                .otherwise(Checked.NONE)
                .compose(checked -> {
                    if (checked.standing() == CheckPassport.Standing.REVOKED) {
                        return Future.failedFuture(
                                ApiError.forbidden("the passport that this is asked under was revoked"));
                    }
                    asking.behalf = checked.behalf().orElse(null);
                    var span = AccessLog.spanOf(asking.ctx);
                    if (span != null) {
                        checked.behalf()
                                .ifPresent(found -> span.says(
                                        RpcFact.PASSPORT, found.passportId().toString()));
                    }
                    return Future.succeededFuture();
                });
    }

    /** What a caller wants, whoever of a route answers it. It counts once, and its bytes until they have been sent. */
    private final class Asking {
        private final RoutingContext ctx;
        private final UUID workspaceId;
        private final long input;
        private RequestForms forms;
        private int held;
        private @Nullable Behalf behalf;
        private Runnable abandon = () -> {};
        private boolean over;

        private Asking(RoutingContext ctx, UUID workspaceId, ModelRequest request) {
            this.ctx = ctx;
            this.workspaceId = workspaceId;
            this.forms = RequestForms.of(request, List.of());
            this.input = request.operation().billed() ? request.estimatedInput() : 0;
            this.held = forms.bytes();
        }

        /** Its translations are held as well. */
        private void takes(RequestForms made) {
            forms = made;
            room.release(workspaceId, held - made.bytes());
            held = made.bytes();
        }

        private void sent() {
            room.release(workspaceId, held);
            held = 0;
            forms = forms.sent();
        }

        private void end() {
            if (!over) {
                over = true;
                sent();
                underWay.remove(this);
                room.leave(workspaceId);
            }
        }
    }

    /** The nth of a route; those behind it when it cannot answer. */
    private Future<Void> ask(Asking asking, int nth) {
        var asked = asking.forms.route().get(nth);
        boolean others = nth + 1 < asking.forms.route().size();
        return accessTo(asking.workspaceId, asked.provider())
                .compose(access -> enter(asking, asked, access).map(place -> new Let(access, place)))
                .transform(let -> {
                    if (let.succeeded()) {
                        return let(asking, nth, let.result()).mapEmpty();
                    }
                    boolean another = others && !asking.over && goesElsewhere(let.cause());
                    return another ? ask(asking, nth + 1) : Future.failedFuture(let.cause());
                });
    }

    /** May be asked now. */
    private record Let(Access access, Place place) {}

    /** There is no key for it, or no place. */
    private static boolean goesElsewhere(Throwable failure) {
        return failure instanceof ApiError error
                && (error.kind() == ApiError.Kind.FORBIDDEN || error.kind() == ApiError.Kind.RATE_LIMITED);
    }

    private Future<?> let(Asking asking, int nth, Let let) {
        var access = let.access;
        var asked = asking.forms.route().get(nth);
        var provider = asked.provider();
        var request = asking.forms.at(provider);
        var chosen = access.url().isPresent()
                ? new Chosen(provider, asked.model(), null) // nobody knows what it costs there
                : asked;
        var planned = new PlannedCall(
                UUID.randomUUID(),
                asking.workspaceId,
                contextOf(asking.ctx),
                traceOf(asking.ctx),
                clock.instant(),
                chosen,
                request.operation(),
                request.streams(),
                asking.input,
                nth == 0 ? null : asking.forms.route().getFirst().name(),
                asking.behalf,
                access.url().isEmpty() && !dialler.replays());
        return allow(planned, request).onFailure(refused -> let.place.unused()).onSuccess(paid -> {
            var allowance = paid.allowance;
            var came = asking.forms.asked().operation();
            boolean passes = came == request.operation();
            var facts = new ModelCall.Facts(
                    planned,
                    came,
                    passes ? null : new AnswerForm(came, asking.forms.tellsUsage(provider), answers),
                    dialler.to(
                            ProviderDialler.urlOf(asking.ctx.request(), passes, request.operation(), chosen, access),
                            chosen,
                            access,
                            request),
                    ProviderDialler.headersFor(
                            asking.ctx.request(), passes, request.operation().protocol(), provider, access),
                    request.hidesUsage(provider),
                    nth + 1 < asking.forms.route().size(),
                    unseen(request));
            byte[] body = paid.request.sentTo(provider, chosen.model(), allowance.outputMax());
            var line = lineTo(asking.workspaceId, provider, access);
            run(
                    asking,
                    nth,
                    let.place,
                    new ModelCall(asking.ctx, facts, allowance, line, limits, eventRoom, ledger, waits),
                    body);
        });
    }

    /** Recordings need no key. */
    private Future<Access> accessTo(UUID workspaceId, Provider provider) {
        return dialler.replays() ? Future.succeededFuture(Access.OPEN) : accesses.accessTo(workspaceId, provider);
    }

    /** Whether this workspace may use a provider: whether its key exists. */
    Future<Boolean> mayUse(UUID workspaceId, Provider provider) {
        return dialler.replays() ? Future.succeededFuture(true) : accesses.has(workspaceId, provider);
    }

    /** Names of the providers that the secrets for all give access to. */
    Future<Set<String>> usableByAll() {
        return dialler.replays()
                ? Future.succeededFuture(
                        table().all().stream().map(Provider::name).collect(Collectors.toUnmodifiableSet()))
                : accesses.forAll(table().all());
    }

    /** Fails with NOT_FOUND for an unknown workspace. */
    Future<?> requireWorkspace(UUID workspaceId) {
        return ledger.standingOf(workspaceId);
    }

    int underWay() {
        return underWay.size();
    }

    /** Calls that wait for a place at their provider. */
    int waiting() {
        return places.values().stream().mapToInt(ProviderPlaces::waiting).sum();
    }

    /** Of requests that have not been sent yet. */
    long bytesHeld() {
        return room.bytes();
    }

    /** Of answers that are kept until they can be translated. */
    long answerBytesHeld() {
        return answers.bytes();
    }

    /** Fails when calls are to be recorded or replayed and cannot be. */
    Future<?> ready() {
        return dialler.ready();
    }

    ProviderTable table() {
        return table;
    }

    /** With the organization's prices. */
    Future<ProviderTable> priced() {
        return prices.table();
    }

    ModelAliases aliases() {
        return aliases;
    }

    /** Ends what is under way; its callers are told. */
    Future<?> stop() {
        stopped = true;
        var why = restarts();
        List.copyOf(underWay).forEach(asking -> asking.abandon.run());
        List.copyOf(passing).forEach(call -> call.stop(Outcome.CUT, why));
        return dialler.close();
    }

    private void run(Asking asking, int nth, Place place, ModelCall call, byte[] body) {
        passing.add(call);
        call.run(body, asking::sent).onSuccess(usage -> {
            passing.remove(call);
            place.leave(usage.in() + usage.cacheWrite() + usage.out());
            if (call.goesElsewhere()) {
                var protocol = asking.forms.asked().operation().protocol();
                boolean ends = stopped || asking.ctx.response().closed();
                (ends ? Future.failedFuture(restarts()) : ask(asking, nth + 1)).onFailure(refused -> {
                    asking.end();
                    ModelDoorRoutes.tell(asking.ctx, protocol, refused);
                });
            } else {
                asking.end();
            }
        });
    }

    /** @param request as it leaves */
    private record Paid(Allowance allowance, ModelRequest request) {}

    private Future<Paid> allow(PlannedCall planned, ModelRequest request) {
        if (!request.operation().billed()) {
            return Future.succeededFuture(new Paid(Allowance.withoutLimit(List.of()), request));
        }
        var leaves = new AtomicReference<>(request);
        return ledger.allow(planned, (price, strict) -> {
                    var payable = strict ? request.payable() : request;
                    leaves.set(payable);
                    return ModelDemand.of(payable, planned.input(), price, limits, strict);
                })
                .map(allowance -> new Paid(allowance, Objects.requireNonNull(leaves.get())));
    }

    /** What a caller without a budget says that an answer may come to. */
    private static long unseen(ModelRequest request) {
        Long wanted = request.outputWanted();
        boolean seen = request.streams() || request.operation() == ModelOperation.EMBEDDINGS;
        return seen || wanted == null ? 0 : Math.min(wanted, ModelDemand.ANSWER_MAX) * request.answers();
    }

    /** Throws RATE_LIMITED when too much is under way. */
    private Asking begin(Asking asking) {
        if (stopped) {
            throw restarts();
        }
        room.enter(asking.workspaceId, asking.held);
        underWay.add(asking);
        asking.ctx.addEndHandler(done -> {
            if (done.failed()) {
                asking.abandon.run();
            }
        });
        return asking;
    }

    private static ApiError restarts() {
        return ApiError.unavailable("the platform restarts: try again");
    }

    /** With a key of one's own one has places of one's own. */
    private Future<Place> enter(Asking asking, Chosen chosen, Access access) {
        var key = new PlacesKey(chosen.provider().name(), access.own() ? asking.workspaceId : NOBODY);
        var waiting = places.computeIfAbsent(
                        key,
                        first -> new ProviderPlaces(
                                vertx, chosen.provider(), first.owner, limits, paces, () -> places.remove(first)))
                .enter(asking.workspaceId, asking.input);
        asking.abandon = waiting::abandon;
        return waiting.place();
    }

    /** Asked at an address of the workspace's, its health is nobody else's. */
    private ProviderLine lineTo(UUID workspaceId, Provider provider, Access access) {
        return lines.computeIfAbsent(
                new LineKey(provider.name(), access.url().isPresent() ? workspaceId : null, access.trusted()),
                first -> new ProviderLine(provider, limits, () -> lines.remove(first)));
    }

    private static @Nullable String contextOf(RoutingContext ctx) {
        String said = ctx.request().getHeader("X-Molecule-Context");
        return said != null && CONTEXT.matcher(said).matches() ? said : null;
    }

    private static @Nullable String traceOf(RoutingContext ctx) {
        String parent = AccessLog.traceparentOf(ctx);
        return parent == null ? null : parent.substring(TRACE_ID_START, TRACE_ID_END);
    }
}
