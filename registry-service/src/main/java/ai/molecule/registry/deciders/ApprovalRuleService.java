package ai.molecule.registry.deciders;

import ai.molecule.registry.deciders.ApprovalRule.Words;
import ai.molecule.registry.policy.PgPolicyStore;
import ai.molecule.registry.policy.PolicyLanguage;
import ai.molecule.registry.policy.PolicyLanguage.Program;
import ai.molecule.registry.policy.PolicyPrograms;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.runtime.CelEvaluationException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules there are, and which of them is for an approval. To be used on one event loop. */
public final class ApprovalRuleService {

    /** Made when the first rule is compiled, beside the event loop. */
    private static final class Language {
        static final PolicyLanguage OF_APPROVALS = new PolicyLanguage("when", AskedFacts.NAMES);
    }

    /** A rule with what it was compiled to; null where an earlier release took what this one does not. */
    private record Compiled(ApprovalRule rule, @Nullable Program program) {

        /** What cannot be told counts as yes: a decision too many is asked of people, and none too few. */
        private boolean isFor(Map<String, Object> facts) {
            if (program == null) {
                return true;
            }
            try {
                return program.holds(facts);
            } catch (CelEvaluationException | RuntimeException untold) {
                return true;
            }
        }
    }

    private final Vertx vertx;
    private final PgApprovalRuleStore store;
    private final PgPolicyStore parties;
    private final PolicyPrograms programs;
    private final Clock clock;

    /** @param parties who knows what rules are told of agents */
    public ApprovalRuleService(Vertx vertx, PgApprovalRuleStore store, PgPolicyStore parties, Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.parties = parties;
        this.programs = new PolicyPrograms(vertx, () -> Language.OF_APPROVALS);
        this.clock = clock;
    }

    /** In the order in which they are asked. */
    Future<List<ApprovalRule>> list() {
        return store.list();
    }

    /** Fails with INVALID where it does not compile or names somebody unknown, else as {@link PgApprovalRuleStore#put}. */
    Future<ApprovalRule> put(Words words) {
        return programs.of(words.when())
                .compose(compiles -> store.put(words, clock.instant()))
                .compose(done -> store.list())
                .map(all -> all.stream()
                        .filter(rule -> rule.name().equals(words.requirement().rule()))
                        .findFirst()
                        .orElseThrow(PgApprovalRuleStore::unknown));
    }

    /** Fails with NOT_FOUND. */
    Future<Void> delete(String name) {
        return store.delete(name);
    }

    /**
     * What the first rule demands that is for this approval; empty without one. Of a workspace that there is not nothing is demanded: nobody
     * asks for it.
     *
     * @param context null when the agent said none
     */
    public Future<Optional<Requirement>> requirementFor(
            UUID workspaceId, String action, String reason, @Nullable ObjectNode context) {
        return store.list()
                .compose(rules -> rules.isEmpty()
                        ? Future.succeededFuture(Optional.empty())
                        : parties.parties(List.of(workspaceId), clock.instant()).compose(known -> {
                            var caller = known.get(workspaceId);
                            return caller == null
                                    ? Future.succeededFuture(Optional.empty())
                                    : first(
                                            rules.stream()
                                                    .filter(rule -> rule.isFor(caller.branches()))
                                                    .toList(),
                                            new AskedFacts(action, reason, context, caller));
                        }));
    }

    /** Beside the event loop: what agents say may be long. */
    private Future<Optional<Requirement>> first(List<ApprovalRule> rules, AskedFacts asked) {
        return compile(rules).compose(compiled -> vertx.executeBlocking(() -> first(compiled, asked.toMap()), false));
    }

    private static Optional<Requirement> first(List<Compiled> rules, Map<String, Object> facts) {
        return rules.stream()
                .filter(rule -> rule.isFor(facts))
                .findFirst()
                .map(found -> found.rule.words().requirement());
    }

    private Future<List<Compiled>> compile(List<ApprovalRule> rules) {
        var compiling = rules.stream()
                .map(rule -> programs.of(rule.words().when())
                        .map(program -> new Compiled(rule, program))
                        .otherwise(flaw -> new Compiled(rule, null)))
                .toList();
        return compiling.isEmpty()
                ? Future.succeededFuture(List.of())
                : Future.all(compiling).map(done -> {
                    List<Compiled> compiled = new ArrayList<>();
                    compiling.forEach(each -> compiled.add(each.result()));
                    return compiled;
                });
    }
}
