package ai.molecule.proxy.a2a.admission;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Role;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.policy.PolicyBook;
import ai.molecule.proxy.routes.RouteBook;
import ai.molecule.proxy.routes.Wakeups;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is asked before a message is looked at, in the order of docs/wire/proxy.md: who the caller is,
 * whether it may, whether the target may spend, where the target is.
 */
public final class Admission {

    /** Names the platform gives to its own callers; nobody outside may use them. */
    private static final List<String> SYSTEM_PREFIXES = List.of("webhook:", "system:", "test:", "channel:");

    /** What is said of messages to and from a workspace that a person took out of everything. */
    public static final String QUARANTINED = "workspace is quarantined";

    private final Guards guards;
    private final RouteBook routes;
    private final PolicyBook policy;
    private final Wakeups wakeups;
    private final Duration wakeWait;
    private final SafeDialer dialer;
    private final boolean open;

    /**
     * @param wakeWait how long a message waits for an agent that it wakes
     * @param open whether whoever shows no credential is taken at its word: for the person, or for the workspace it names
     */
    public Admission(
            Guards guards,
            RouteBook routes,
            PolicyBook policy,
            Wakeups wakeups,
            Duration wakeWait,
            SafeDialer dialer,
            boolean open) {
        this.open = open;
        this.wakeups = wakeups;
        this.wakeWait = wakeWait;
        this.guards = guards;
        this.routes = routes;
        this.policy = policy;
        this.dialer = dialer;
    }

    /** A call that may be made. */
    public record Admitted(UUID target, Sender sender, Route route) {}

    /** A paused sender passes too: it is for the caller to see whether it brings the result of work it had. */
    public Future<Admitted> admit(A2aRequest call) {
        return locate(call, Role.OPERATOR)
                .compose(reader ->
                        payable(reader, call.asked().filter(this::isShorter).orElse(wakeWait)));
    }

    private boolean isShorter(Duration asked) {
        return asked.compareTo(wakeWait) < 0;
    }

    /** Only who asks, and whether it may: for somebody about whom more is asked then. */
    public Future<Admitted> party(A2aRequest call) {
        return locate(call, Role.VIEWER);
    }

    /**
     * All checks but the first, for a sender who has proven who it is.
     *
     * @param body what it asks
     */
    public Future<Admitted> admit(UUID target, Sender sender, byte[] body) {
        return locate(target.toString(), sender)
                .compose(reader -> judged(reader, body))
                .compose(reader -> payable(reader, wakeWait));
    }

    /** Whoever sleeps is woken last: for something that it will get. */
    private Future<Admitted> payable(Admitted reader, Duration patience) {
        if (reader.route().budgetExceeded()) {
            throw new ApiError(ApiError.Kind.BUDGET_EXCEEDED, "workspace budget limit exceeded");
        }
        return wakeups.awake(reader.target(), reader.route(), patience)
                .compose(route -> reachable(withUrl(route)))
                .map(route -> new Admitted(reader.target(), reader.sender(), route));
    }

    /** For somebody who asks what became of a message: only the checks of who it is, because no agent is called and nothing is spent. */
    public Future<Admitted> reader(A2aRequest call) {
        return locate(call, Role.VIEWER).map(reader -> {
            if (reader.sender().paused()) {
                throw paused();
            }
            return reader;
        });
    }

    /** For somebody who says which workspace it is, and asks of another one how that stands. */
    public Future<UUID> reader(UUID target, String caller, @Nullable String bearer) {
        return reader(new A2aRequest(
                        target.toString(),
                        caller,
                        null,
                        bearer,
                        null,
                        null,
                        Map.of(),
                        new byte[0],
                        Future.succeededFuture(),
                        () -> {}))
                .map(Admitted::target);
    }

    public static ApiError paused() {
        return ApiError.forbidden("workspace is paused");
    }

    /**
     * Whether whoever opened a stream would be let in to read it still; fails where not. What became of a target that is gone its stream tells
     * by itself. Completes with the workspace that reads, null for a person.
     */
    public Future<@Nullable UUID> stays(A2aRequest call) {
        return placed(call, Role.VIEWER)
                .<@Nullable UUID>map(reader -> reader.sender().workspaceId())
                .recover(refused -> refused instanceof ApiError error && error.kind() == ApiError.Kind.NOT_FOUND
                        ? Ids.find(call.target())
                                .map(target -> routes.resolve(target, null)
                                        .<@Nullable UUID>compose(route -> route.found()
                                                ? Future.failedFuture(refused)
                                                : Future.succeededFuture()))
                                .orElseGet(() -> Future.failedFuture(refused))
                        : Future.failedFuture(refused));
    }

    /**
     * What a receiver ends with that this caller asks for: the hash of a person's session or token, or of an organization token. Null for an agent,
     * whose tokens change with its starts, and for the {@code ADMIN_TOKEN}.
     */
    public Future<@Nullable String> endsWith(A2aRequest call) {
        String bearer = call.bearer();
        return bearer == null
                ? Future.succeededFuture()
                : guards.whose(bearer).<@Nullable String>map(shown -> switch (shown.kind()) {
                    case PERSON, ORGANISATION -> Credentials.hashOf(bearer);
                    case ANONYMOUS, HATCH, ADMIN, WORKSPACE -> null;
                });
    }

    private Future<Admitted> locate(A2aRequest call, Role needed) {
        return placed(call, needed).compose(reader -> judged(reader, call.body()));
    }

    /** What the platform says by itself, and what somebody says to itself, no rule is asked about. */
    private Future<Admitted> judged(Admitted reader, byte[] body) {
        var sender = reader.sender();
        return !reader.route().governed() || sender.self() || sender.system() != null
                ? Future.succeededFuture(reader)
                : policy.check(reader.route(), sender.workspaceId(), reader.target(), body)
                        .map(allowed -> reader);
    }

    private Future<Admitted> placed(A2aRequest call, Role needed) {
        String caller = call.caller();
        if (caller == null || caller.isBlank()) {
            return guards.whose(call.bearer()).compose(shown -> unnamed(call, shown, needed));
        }
        if (SYSTEM_PREFIXES.stream().anyMatch(caller::startsWith)) {
            return Future.failedFuture(ApiError.forbidden("invalid caller ID"));
        }
        var id = Ids.find(caller).orElse(null);
        boolean self = id != null && id.equals(Ids.find(call.target()).orElse(null));
        if (id == null) {
            return Future.failedFuture(denied());
        }
        if (self && open) {
            return locate(call.target(), new Sender(id, true)); // at its word
        }
        return guards.a2aCaller(call.bearer(), id).compose(proven -> {
            if (proven.workspaceId() == null && !open) {
                throw unproven(call); // it has no token, so anybody could say to be it
            }
            return locate(call.target(), new Sender(id, self, isPaused(proven), null));
        });
    }

    /** Who names no workspace is the one whose token it shows, and the person where it shows none. */
    private Future<Admitted> unnamed(A2aRequest call, Caller shown, Role needed) {
        var holder = shown.workspaceId();
        if (holder != null) {
            boolean self = holder.equals(Ids.find(call.target()).orElse(null));
            return locate(call.target(), new Sender(holder, self, isPaused(shown), null));
        }
        if (shown.kind() == Caller.Kind.ANONYMOUS) {
            return open
                    ? locate(call.target(), Sender.person(shown.credential()))
                    : Future.failedFuture(unproven(call));
        }
        var target = Ids.find(call.target()).orElse(null);
        return shown.kind() == Caller.Kind.PERSON && target != null
                ? guards.workspace(call.bearer(), target, needed).compose(may -> ofPerson(call, shown))
                : ofPerson(call, shown);
    }

    /** What administrators and people send is the canvas's, unless it says for which workspace. */
    private Future<Admitted> ofPerson(A2aRequest call, Caller shown) {
        var source = Ids.find(call.source()).orElse(null);
        var person = Sender.person(shown.credential());
        if (source == null) {
            return locate(call.target(), person);
        }
        boolean self = source.equals(Ids.find(call.target()).orElse(null));
        return locate(call.target(), new Sender(source, self))
                .recover(refused -> isDenied(refused) ? locate(call.target(), person) : Future.failedFuture(refused));
    }

    private static boolean isPaused(Caller caller) {
        return caller.standing() == Standing.SUSPENDED;
    }

    private static ApiError unproven(A2aRequest call) {
        return ApiError.unauthenticated(
                call.bearer() == null ? "missing caller auth token" : "invalid caller auth token");
    }

    private Future<Admitted> locate(String targetText, Sender sender) {
        var target = Ids.find(targetText).orElse(null);
        @Nullable UUID asking = sender.self() ? null : sender.workspaceId();
        if (target == null) {
            return Future.failedFuture(asking == null ? ApiError.notFound("workspace not found") : denied());
        }
        return routes.resolve(target, asking).compose(route -> {
            check(route, asking != null);
            refuseQuarantined(route);
            return asking == null
                    ? Future.succeededFuture(new Admitted(target, sender, route))
                    : routes.resolve(asking, null).map(own -> {
                        refuseQuarantined(own);
                        return new Admitted(target, sender, route);
                    });
        });
    }

    private static void refuseQuarantined(Route route) {
        if (route.quarantined()) {
            throw new ApiError(ApiError.Kind.FORBIDDEN, QUARANTINED, Map.of("status", "quarantined"));
        }
    }

    private static void check(Route route, boolean asking) {
        if (asking && !route.allowed()) {
            throw denied();
        }
        if (!route.found()) {
            throw ApiError.notFound("workspace not found");
        }
    }

    /** The route itself; fails when it has no URL. */
    public static Route withUrl(Route route) {
        if (!route.hasAddress()) {
            throw new ApiError(
                    ApiError.Kind.UNAVAILABLE,
                    "workspace has no URL",
                    Map.of("status", route.status().wire()));
        }
        return route;
    }

    private Future<Route> reachable(Route route) {
        String url = route.url();
        if (url == null || route.provisioned() || route.delivery() == Delivery.POLL) {
            return Future.succeededFuture(route);
        }
        return dialer.permits(url).map(permitted -> {
            if (!permitted) {
                throw new ApiError(ApiError.Kind.BAD_GATEWAY, "workspace URL is not publicly routable");
            }
            return route;
        });
    }

    private static boolean isDenied(Throwable refused) {
        return refused instanceof ApiError error && error.kind() == ApiError.Kind.FORBIDDEN;
    }

    private static ApiError denied() {
        return ApiError.forbidden("access denied: workspaces cannot communicate per hierarchy rules");
    }
}
