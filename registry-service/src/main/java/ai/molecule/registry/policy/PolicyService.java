package ai.molecule.registry.policy;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.events.CallsSince;
import ai.molecule.common.bus.events.CallsSince.Alike;
import ai.molecule.common.bus.hints.PolicyChanged;
import ai.molecule.common.bus.proxy.ModelSpend;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.common.bus.registry.JudgeCall.Verdicts;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.registry.policy.CallFacts.Party;
import ai.molecule.registry.policy.PolicyLanguage.Program;
import ai.molecule.registry.policy.PolicyRule.Mode;
import ai.molecule.registry.policy.PolicyRule.Name;
import ai.molecule.registry.policy.PolicyRule.Words;
import dev.cel.runtime.CelEvaluationException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules there are, and what they say of a call, now or in the past. To be used on one event loop. */
public final class PolicyService {

    /** How long rules are believed; a change is heard of at once, unless its hint is lost. */
    private static final Duration BELIEVED = Duration.ofSeconds(2);

    /** As long as the past is tried; what is not tried by then is told as more. */
    private static final Duration TRIAL_MAX = Duration.ofSeconds(10);

    private static final String ALL = "all";
    private static final String SPEND = "spend";
    private static final double CENTS = 100;

    private final Vertx vertx;
    private final PgPolicyStore store;
    private final PolicyPrograms programs;
    private final Bus bus;
    private final Clock clock;
    private final BriefCache<String, List<PolicyRule>> rules = new BriefCache<>(BELIEVED, 1);
    private boolean testing;

    /** A rule with what it was compiled to; {@code flaw} where an earlier release took what this one does not. */
    private record Compiled(PolicyRule rule, @Nullable Program program, String flaw) {

        /** Empty where the rule has nothing against it. What cannot be told counts as refused. */
        private Optional<Verdict> judge(Map<String, Object> facts) {
            var words = rule.words();
            boolean enforced = words.mode() == Mode.ENFORCE;
            if (program == null) {
                return Optional.of(new Verdict(rule.name().text(), rule.owner(), enforced, flaw));
            }
            try {
                return program.holds(facts)
                        ? Optional.of(new Verdict(rule.name().text(), rule.owner(), enforced, words.says()))
                        : Optional.empty();
            } catch (CelEvaluationException | RuntimeException untold) {
                return Optional.of(new Verdict(
                        rule.name().text(), rule.owner(), enforced, "it could not be told: " + untold.getMessage()));
            }
        }
    }

    public PolicyService(Vertx vertx, PgPolicyStore store, Bus bus, Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.programs = new PolicyPrograms(vertx, () -> PolicyLanguage.OF_CALLS);
        this.bus = bus;
        this.clock = clock;
        bus.listen(PolicyChanged.HINT, changed -> rules.clear());
    }

    /** Whether there is any rule: without one no call is asked about. */
    Future<Boolean> exists() {
        return rules().map(known -> !known.isEmpty());
    }

    /** The route, which says whether there are rules. */
    public Future<Route> governing(Route route) {
        return exists().map(any -> any ? route.underPolicy() : route);
    }

    /** Serves {@link JudgeCall}. */
    public Future<Verdicts> judge(JudgeCall call) {
        return rules().compose(known -> known.isEmpty()
                ? Future.succeededFuture(new Verdicts(List.of()))
                : factsOf(call, known)
                        .compose(facts -> compile(holding(known, facts)).map(compiled -> verdicts(compiled, facts))));
    }

    Future<List<PolicyRule>> list() {
        return store.list();
    }

    /** The branches of these rules that are one of those, or below one. */
    Future<Set<UUID>> branchesWithin(List<PolicyRule> rules, List<UUID> within) {
        var branches = rules.stream()
                .map(PolicyRule::branch)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        return branches.isEmpty()
                ? Future.succeededFuture(Set.of())
                : store.parties(branches, clock.instant())
                        .map(known -> known.values().stream()
                                .filter(party -> within.stream().anyMatch(party.branches()::contains))
                                .map(Party::id)
                                .collect(Collectors.toUnmodifiableSet()));
    }

    /** Those that hold for a workspace: its own, those of whom it is below, and the organisation's. Fails with NOT_FOUND. */
    Future<List<PolicyRule>> holdingFor(UUID workspace) {
        return store.parties(List.of(workspace), clock.instant()).compose(known -> {
            var party = Optional.ofNullable(known.get(workspace))
                    .orElseThrow(() -> ApiError.notFound("workspace not found"));
            return store.list()
                    .map(all -> all.stream()
                            .filter(rule ->
                                    rule.branch() == null || party.branches().contains(rule.branch()))
                            .toList());
        });
    }

    /** Fails with INVALID where it does not compile, else as {@link PgPolicyStore#put}. It holds everywhere when this completes, unless a hint is lost. */
    Future<PolicyRule> put(@Nullable UUID branch, Name name, Words words, boolean ofBranch) {
        return programs.of(words.refuseWhen())
                .compose(compiles -> store.put(branch, name, words, ofBranch, clock.instant()))
                .onSuccess(done -> tell())
                .compose(done -> store.list())
                .map(all -> all.stream()
                        .filter(rule -> rule.name().equals(name) && Objects.equals(rule.branch(), branch))
                        .findFirst()
                        .orElseThrow(PgPolicyStore::unknown));
    }

    /** Fails as {@link PgPolicyStore#delete}. */
    Future<Void> delete(@Nullable UUID branch, Name name, boolean ofBranch) {
        return store.delete(branch, name, ofBranch).onSuccess(done -> tell());
    }

    /**
     * What the rules would have said since then, whatever their mode, with what is known of everybody today.
     *
     * @param branch whose rules are tried: null for all there are
     * @param words tried in place of all rules; null for none
     * @return fails with RATE_LIMITED while another one is under way here: one takes a processor for seconds
     */
    Future<PolicyTrial> test(@Nullable UUID branch, @Nullable Words words, Duration back) {
        if (testing) {
            return Future.failedFuture(new ApiError(
                    ApiError.Kind.RATE_LIMITED,
                    "another policy test is running — try again in a few seconds",
                    Map.of("retry_after", 5)));
        }
        testing = true;
        return tryOut(branch, words, back).onComplete(tested -> testing = false);
    }

    private Future<PolicyTrial> tryOut(@Nullable UUID branch, @Nullable Words words, Duration back) {
        var since = clock.instant().minus(back);
        var tried = words == null
                ? store.list()
                        .map(all -> all.stream()
                                .filter(rule -> branch == null || branch.equals(rule.branch()))
                                .toList())
                : programs.of(words.refuseWhen()).compose(compiles -> tried(branch, words));
        return tried.compose(found -> compile(found)
                .compose(compiled -> bus.call(CallsSince.CONTRACT, new CallsSince(since))
                        .compose(calls -> partiesOf(calls.calls(), found)
                                .compose(parties -> vertx.executeBlocking(
                                        () -> trial(compiled, calls.calls(), parties, calls.more()), false)))));
    }

    private Future<List<PolicyRule>> tried(@Nullable UUID branch, Words words) {
        var now = clock.instant();
        var one = new PolicyRule(new Name("tried"), branch, null, words, now, now);
        return branch == null
                ? Future.succeededFuture(List.of(one))
                : store.parties(List.of(branch), now).map(known -> {
                    var party = Optional.ofNullable(known.get(branch))
                            .orElseThrow(() -> ApiError.notFound("workspace not found"));
                    return List.of(new PolicyRule(one.name(), branch, party.name(), words, now, now));
                });
    }

    private PolicyTrial trial(List<Compiled> rules, List<Alike> calls, Map<UUID, Party> parties, boolean more) {
        var trial = new PolicyTrial.Counting(
                rules.stream().map(compiled -> compiled.rule).toList(), more);
        var end = clock.instant().plus(TRIAL_MAX);
        for (var alike : calls) {
            if (clock.instant().isAfter(end)) {
                trial.leaveTheRest();
                break;
            }
            var caller = alike.caller() == null ? null : parties.get(alike.caller());
            var target = parties.get(alike.target());
            if (target == null || (alike.caller() != null && caller == null)) {
                trial.unknown(alike);
                continue;
            }
            var facts =
                    new CallFacts(new JudgeCall(alike.caller(), alike.target(), alike.method(), ""), caller, target);
            var told = facts.toMap();
            trial.known(alike);
            IntStream.range(0, rules.size())
                    .filter(nth -> holds(rules.get(nth).rule, facts))
                    .forEach(nth -> rules.get(nth)
                            .judge(told)
                            .ifPresent(verdict -> trial.refused(nth, alike, caller, target, verdict.says())));
        }
        return trial.end();
    }

    private Future<Map<UUID, Party>> partiesOf(List<Alike> calls, List<PolicyRule> rules) {
        var ids = calls.stream()
                .flatMap(alike -> Stream.of(Optional.ofNullable(alike.caller()), Optional.of(alike.target())))
                .flatMap(Optional::stream)
                .distinct()
                .toList();
        return parties(ids, rules);
    }

    private Future<CallFacts> factsOf(JudgeCall call, List<PolicyRule> rules) {
        var ids = Stream.of(call.caller(), call.target())
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        return parties(ids, rules)
                .map(known -> new CallFacts(call, known.get(call.caller()), known.get(call.target())));
    }

    /** What was spent is asked for where a rule may look at it: the larger of what the agent says and what the model door counted. */
    private Future<Map<UUID, Party>> parties(Collection<UUID> ids, List<PolicyRule> rules) {
        var found = store.parties(ids, clock.instant());
        return rules.stream().noneMatch(rule -> rule.words().refuseWhen().contains(SPEND))
                ? found
                : found.compose(parties -> metered(List.copyOf(ids), 0, parties));
    }

    /** Without a proxy it is what the agents say. */
    private Future<Map<UUID, Party>> metered(List<UUID> ids, int from, Map<UUID, Party> parties) {
        if (from >= ids.size()) {
            return Future.succeededFuture(parties);
        }
        int to = Math.min(ids.size(), from + ModelSpend.WORKSPACES_MAX);
        var month = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).withDayOfMonth(1);
        return bus.call(ModelSpend.CONTRACT, new ModelSpend(List.copyOf(ids.subList(from, to)), month))
                .map(ModelSpend.Spent::workspaces)
                .otherwise(List.of())
                .compose(spent -> {
                    Map<UUID, Party> with = new HashMap<>(parties);
                    spent.forEach(one -> with.computeIfPresent(
                            one.workspaceId(), (id, party) -> party.spending(one.cents() / CENTS)));
                    return metered(ids, to, with);
                });
    }

    private Future<List<PolicyRule>> rules() {
        return rules.get(ALL, all -> store.list());
    }

    private void tell() {
        rules.clear();
        bus.publish(PolicyChanged.HINT, new PolicyChanged());
    }

    private static List<PolicyRule> holding(List<PolicyRule> known, CallFacts facts) {
        return known.stream().filter(rule -> holds(rule, facts)).toList();
    }

    private static boolean holds(PolicyRule rule, CallFacts facts) {
        return rule.branch() == null || facts.isIn(rule.branch());
    }

    private Future<List<Compiled>> compile(List<PolicyRule> wanted) {
        var compiling = wanted.stream()
                .map(rule -> programs.of(rule.words().refuseWhen())
                        .map(program -> new Compiled(rule, program, ""))
                        .otherwise(flaw -> new Compiled(rule, null, String.valueOf(flaw.getMessage()))))
                .toList();
        return compiling.isEmpty()
                ? Future.succeededFuture(List.of())
                : Future.all(compiling).map(done -> {
                    List<Compiled> compiled = new ArrayList<>();
                    compiling.forEach(each -> compiled.add(each.result()));
                    return compiled;
                });
    }

    private static Verdicts verdicts(List<Compiled> compiled, CallFacts facts) {
        if (compiled.isEmpty()) {
            return new Verdicts(List.of());
        }
        var told = facts.toMap();
        return new Verdicts(compiled.stream()
                .map(rule -> rule.judge(told))
                .flatMap(Optional::stream)
                .sorted(Comparator.comparing(verdict -> !verdict.enforced()))
                .toList());
    }
}
