package ai.molecule.proxy;

import static ai.molecule.common.testing.Records.with;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.ModelKey;
import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.ApprovalsChanged;
import ai.molecule.common.bus.hints.PolicyChanged;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.provisioner.IsRunning;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.MayAct;
import ai.molecule.common.bus.registry.OpenSecret;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.bus.registry.SealSecret;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.common.bus.registry.UnmeteredWorkspaces;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.events.LiveEvents;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The other services as far as the proxy sees them: their bus contracts, with what a test put in and what the proxy told. */
public final class StandInPlatform {

    public final Bus bus;
    public final WrittenRows rows = new WrittenRows();
    /** What went live besides the rows, which are in {@link #order} too, and {@link #tasks}. */
    public final List<LiveEvent> live = new CopyOnWriteArrayList<>();

    /** Begins and ends of tasks, as they were told. */
    public final List<LiveEvent> tasks = new CopyOnWriteArrayList<>();

    public final List<UUID> outbound = new CopyOnWriteArrayList<>();
    public final List<String> order = new CopyOnWriteArrayList<>();
    public final List<ResolveRoute> resolved = new CopyOnWriteArrayList<>();
    private final List<TaskApprovals.One> approvals = new CopyOnWriteArrayList<>();
    public final AtomicInteger refused = new AtomicInteger();
    /** Of everybody, by name. */
    public final Map<String, String> secrets = new ConcurrentHashMap<>();

    /** Which of them an administrator gave to all. */
    public final Set<String> globalSecrets = ConcurrentHashMap.newKeySet();

    /** With which right others were set, 0 to 2; 2 where nothing is said. */
    public final Map<String, Integer> setBy = new ConcurrentHashMap<>();

    /** Limits in cents. */
    public final Map<UUID, Long> budgets = new ConcurrentHashMap<>();

    /** Those that everybody belongs to. */
    public volatile List<BudgetOf.Team> teams = List.of();

    /** Those whose programs have logins of their own. */
    public final List<UUID> unmetered = new CopyOnWriteArrayList<>();

    /** For whom it was asked to sign. */
    public final List<IssuePairToken> signed = new CopyOnWriteArrayList<>();

    /** For whom passports were asked. */
    /** What each passport has in its middle; null for its number. */
    public volatile @Nullable String readable;

    /** What every passport is worth that is asked about. */
    public volatile CheckPassport.Checked checked =
            new CheckPassport.Checked(CheckPassport.Standing.HOLDS, UUID.randomUUID(), "person:kim");

    public final List<IssuePassport> passports = new CopyOnWriteArrayList<>();

    /** Null where it issues them. */
    public volatile @Nullable ApiError passportRefusal = ApiError.unavailable("no key");

    /** What its pair tokens end with; empty while it has no key. */
    public volatile String signature = "";

    /** Whether each of them ends differently. */
    public volatile boolean signAnew;

    /** What rules say of calls; null where there is none. */
    public volatile @Nullable Function<JudgeCall, List<JudgeCall.Verdict>> policy;

    /** What was asked about. */
    public final List<JudgeCall> judged = new CopyOnWriteArrayList<>();

    /** Persons who may act nowhere any more. */
    public final Set<UUID> mayNotAct = ConcurrentHashMap.newKeySet();

    /** What it seals with; each opens what any of them sealed. */
    public volatile String key = "2:first:";

    public volatile long reportedCents;
    public volatile boolean away;
    public volatile IsRunning.Verdict engineSays = IsRunning.Verdict.UNKNOWN;

    private final Map<UUID, Route> routes = new ConcurrentHashMap<>();
    private final Map<String, UUID> tokens = new ConcurrentHashMap<>();
    private final Map<String, Shown> people = new ConcurrentHashMap<>();
    private final Map<String, UUID> modelKeys = new ConcurrentHashMap<>();
    private final Set<UUID> suspended = ConcurrentHashMap.newKeySet();
    private final Set<Set<UUID>> friends = ConcurrentHashMap.newKeySet();

    public StandInPlatform(Vertx vertx) {
        bus = new Bus(vertx);
        Future.all(List.of(
                        bus.serve(ResolveRoute.CONTRACT, this::resolve),
                        bus.serve(JudgeCall.CONTRACT, this::judge),
                        bus.serve(IssuePairToken.CONTRACT, this::sign),
                        bus.serve(IssuePassport.CONTRACT, this::passport),
                        bus.serve(CheckPassport.CONTRACT, question -> Future.succeededFuture(checked)),
                        bus.serve(VerifyToken.CONTRACT, this::verify),
                        bus.serve(
                                MayAct.CONTRACT,
                                question -> Future.succeededFuture(new MayAct.Answers(question.asked().stream()
                                        .map(asked -> !mayNotAct.contains(asked.person()))
                                        .toList()))),
                        bus.serve(
                                SealSecret.CONTRACT,
                                secret -> Future.succeededFuture(
                                        new SealSecret.Sealed(key + backwards(secret.place() + secret.value()), key))),
                        bus.serve(
                                OpenSecret.CONTRACT,
                                question -> Future.succeededFuture(
                                        new OpenSecret.Value(opened(question.place(), question.text())))),
                        bus.serve(
                                TaskApprovals.CONTRACT,
                                asked -> Future.succeededFuture(new TaskApprovals.Page(List.copyOf(approvals)))),
                        bus.serve(
                                SecretsFor.CONTRACT,
                                asked -> Future.succeededFuture(new SecretsFor.Bundle(
                                        Map.copyOf(secrets), List.of(), Set.copyOf(globalSecrets), Map.copyOf(setBy)))),
                        bus.serve(
                                GlobalSecretNames.CONTRACT,
                                asked -> Future.succeededFuture(
                                        new GlobalSecretNames.Names(List.copyOf(globalSecrets)))),
                        bus.serve(
                                UnmeteredWorkspaces.CONTRACT,
                                asked -> Future.succeededFuture(new UnmeteredWorkspaces.Ids(List.copyOf(unmetered)))),
                        bus.serve(
                                BudgetOf.CONTRACT,
                                asked -> Future.succeededFuture(
                                        new BudgetOf.Standing(budgets.get(asked.workspaceId()), reportedCents, teams))),
                        bus.serve(
                                IsRunning.CONTRACT, asked -> Future.succeededFuture(new IsRunning.Answer(engineSays))),
                        bus.serve(TouchOutbound.CONTRACT, touched -> {
                            outbound.addAll(touched.workspaceIds());
                            return Future.succeededFuture(new TouchOutbound.Touched(1));
                        }),
                        bus.listen(LiveEvents.HINT, several -> several.events().forEach(this::heard))
                                .completion()))
                .await();
    }

    /** A task that waits for an approval from now on. */
    public void ask(UUID workspace, String taskId) {
        approvals.add(new TaskApprovals.One(UUID.randomUUID(), workspace, taskId, Instant.now()));
        bus.publish(ApprovalsChanged.HINT, new ApprovalsChanged());
    }

    /** All approvals are decided. */
    public void decide() {
        approvals.clear();
        bus.publish(ApprovalsChanged.HINT, new ApprovalsChanged());
    }

    /** A workspace whose agent our provisioner started. */
    public UUID workspaceAt(String url) {
        return workspace(url, true, WorkspaceStatus.ONLINE, false);
    }

    private void heard(LiveEvent event) {
        switch (event.type()) {
            case "TASK_STARTED", "TASK_ENDED" -> tasks.add(asClientsReadIt(event));
            case "ACTIVITY_LOGGED" ->
                order.add("row " + event.payload().path("status").asText());
            default -> {
                live.add(asClientsReadIt(event));
                order.add(event.type());
            }
        }
    }

    private static LiveEvent asClientsReadIt(LiveEvent event) {
        var payload = (ObjectNode) Json.stored(Json.text(event.payload()));
        return new LiveEvent(event.type(), event.workspaceId(), event.timestamp(), payload);
    }

    public UUID workspace(String url, boolean provisioned, WorkspaceStatus status, boolean budgetExceeded) {
        var id = UUID.randomUUID();
        put(id, url, provisioned, status, budgetExceeded);
        return id;
    }

    public void put(UUID id, String url, boolean provisioned, WorkspaceStatus status, boolean budgetExceeded) {
        routes.put(
                id,
                new Route(
                        true,
                        true,
                        "planner",
                        url,
                        provisioned,
                        Delivery.of(url),
                        status,
                        false,
                        budgetExceeded,
                        "echo",
                        false,
                        1,
                        false,
                        1));
    }

    public @Nullable String urlOf(UUID workspace) {
        var route = routes.get(workspace);
        return route == null ? null : route.url();
    }

    /** From now on its card offers A2A 1.0 alone. */
    public void offersOnly10(UUID workspace) {
        routes.computeIfPresent(workspace, (id, old) -> with(old, "only10", true));
        bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(workspace, 2));
    }

    /** As when a person takes it out of everything; without the hint that tells so. */
    public void quarantine(UUID workspace) {
        routes.computeIfPresent(
                workspace,
                (id, old) -> new Route(
                        true,
                        true,
                        old.name(),
                        old.url(),
                        old.provisioned(),
                        old.delivery(),
                        WorkspaceStatus.PAUSED,
                        true,
                        false,
                        old.runtime(),
                        old.only10(),
                        old.incarnation(),
                        false,
                        old.version() + 1));
    }

    /** From now on its tokens are those of a paused workspace. */
    public void suspend(UUID workspace) {
        suspended.add(workspace);
    }

    public void mayTalk(UUID one, UUID other) {
        friends.add(Set.of(one, other));
    }

    public String tokenOf(UUID workspace) {
        String token = Tokens.mint();
        tokens.put(Base64.getEncoder().encodeToString(Tokens.hash(token)), workspace);
        modelKeys.put(Base64.getEncoder().encodeToString(Tokens.hash(ModelKey.of(token))), workspace);
        return token;
    }

    private static @Nullable String opened(String place, String sealed) {
        String clear = backwards(sealed.split(":", 3)[2]);
        return clear.startsWith(place) ? clear.substring(place.length()) : null;
    }

    private static String backwards(String text) {
        return new StringBuilder(text).reverse().toString();
    }

    /** As when it is revoked, hint included. */
    public void revoke(String token) {
        var holder = tokens.remove(hashOf(token));
        modelKeys.remove(hashOf(ModelKey.of(token)));
        bus.publish(TokensChanged.HINT, new TokensChanged(holder));
    }

    /**
     * What a person's bearer shows from now on, hint included.
     *
     * @param person its {@code there} is the role at {@code at}, and none elsewhere; null once it shows nobody any more
     */
    public void person(String token, @Nullable Person person, @Nullable UUID at) {
        if (person == null) {
            people.remove(hashOf(token));
        } else {
            people.put(hashOf(token), new Shown(person, at));
        }
        bus.publish(TokensChanged.HINT, new TokensChanged(null));
    }

    private static String hashOf(String token) {
        return Base64.getEncoder().encodeToString(Tokens.hash(token));
    }

    private record Shown(Person person, @Nullable UUID at) {

        Verdict verdict(@Nullable UUID asked) {
            var there = asked != null && asked.equals(at) ? person.there() : null;
            return new Verdict(
                    Holder.PERSON,
                    null,
                    null,
                    Standing.ADMITTED,
                    null,
                    true,
                    false,
                    null,
                    new Person(
                            person.id(),
                            person.login(),
                            person.name(),
                            person.organisation(),
                            there,
                            person.branches(),
                            person.credential()));
        }
    }

    private Future<Route> resolve(ResolveRoute question) {
        resolved.add(question);
        if (away) {
            refused.incrementAndGet();
            return Future.failedFuture(ApiError.platformUnavailable());
        }
        var caller = question.caller();
        boolean allowed = caller == null || friends.contains(Set.of(caller, question.target()));
        var known = routes.get(question.target());
        if (known == null) {
            return Future.succeededFuture(new Route(
                    false,
                    caller == null,
                    "",
                    null,
                    false,
                    Delivery.PUSH,
                    WorkspaceStatus.OFFLINE,
                    false,
                    false,
                    "",
                    false,
                    0,
                    false,
                    0));
        }
        var route = new Route(
                true,
                allowed,
                known.name(),
                known.url(),
                known.provisioned(),
                known.delivery(),
                known.status(),
                known.quarantined(),
                known.budgetExceeded(),
                known.runtime(),
                known.only10(),
                known.incarnation(),
                false,
                known.version());
        return Future.succeededFuture(policy == null ? route : route.underPolicy());
    }

    /** From now on these are what rules say. */
    public void rule(@Nullable Function<JudgeCall, List<JudgeCall.Verdict>> says) {
        policy = says;
        bus.publish(PolicyChanged.HINT, new PolicyChanged());
    }

    private Future<JudgeCall.Verdicts> judge(JudgeCall question) {
        judged.add(question);
        if (away) {
            return Future.failedFuture(ApiError.platformUnavailable());
        }
        var rules = policy;
        return Future.succeededFuture(new JudgeCall.Verdicts(rules == null ? List.of() : rules.apply(question)));
    }

    private Future<IssuePassport.Issued> passport(IssuePassport question) {
        passports.add(question);
        return passportRefusal == null
                ? Future.succeededFuture(new IssuePassport.Issued(
                        readable == null
                                ? "passport." + passports.size() + ".of-" + question.target()
                                : "passport." + readable + ".of-" + question.target(),
                        UUID.randomUUID(),
                        "somebody asked somebody",
                        question.budget(),
                        Instant.now().plusSeconds(3_600)))
                : Future.failedFuture(passportRefusal);
    }

    private Future<IssuePairToken.Issued> sign(IssuePairToken question) {
        signed.add(question);
        return signature.isEmpty()
                ? Future.failedFuture(ApiError.unavailable("no key"))
                : Future.succeededFuture(new IssuePairToken.Issued(
                        question.caller() + "." + question.target() + "." + signature + (signAnew ? signed.size() : ""),
                        Instant.now().plusSeconds(60)));
    }

    private Future<Verdict> verify(VerifyToken question) {
        var shown = question.tokenHash() == null ? null : people.get(question.tokenHash());
        if (shown != null) {
            return Future.succeededFuture(shown.verdict(question.workspaceId()));
        }
        var holder = question.tokenHash() == null ? null : tokens.get(question.tokenHash());
        boolean hasOne = question.workspaceId() != null && tokens.containsValue(question.workspaceId());
        var payer = question.tokenHash() == null ? null : modelKeys.get(question.tokenHash());
        if (payer != null) {
            return Future.succeededFuture(
                    new Verdict(Holder.MODEL_KEY, null, null, Standing.ADMITTED, null, true, hasOne, payer));
        }
        return Future.succeededFuture(new Verdict(
                holder == null ? Holder.NOBODY : Holder.WORKSPACE,
                holder,
                null,
                holder != null && suspended.contains(holder) ? Standing.SUSPENDED : Standing.ADMITTED,
                null,
                !tokens.isEmpty(),
                hasOne));
    }
}
