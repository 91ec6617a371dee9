package ai.molecule.registry.policy;

import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.registry.policy.PolicyLanguage.Type;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What rules are told of a call: of its caller, of its target, of what is asked. Every name is there for every call, empty or 0 where there is nothing. */
public record CallFacts(
        JudgeCall call, @Nullable Party caller, @Nullable Party target) {

    private static final String WORKSPACE = "workspace";
    private static final String PERSON = "person";

    private static final Map<String, Type> OF_A_PARTY = Map.of(
            "id", Type.TEXT,
            "name", Type.TEXT,
            "role", Type.TEXT,
            "runtime", Type.TEXT,
            "tenant", Type.TEXT,
            "tier", Type.NUMBER,
            "spend", Type.DOLLARS);

    /** Of everything a rule may name, its type. */
    static final Map<String, Type> NAMES = names();

    /**
     * A workspace.
     *
     * @param tenant empty for none
     * @param branches itself and all above it
     * @param spend of this month, in dollars
     */
    public record Party(
            UUID id,
            String name,
            String role,
            String runtime,
            String tenant,
            int tier,
            double spend,
            Set<UUID> branches) {

        public Party {
            branches = Set.copyOf(branches);
        }

        Party spending(double dollars) {
            return new Party(id, name, role, runtime, tenant, tier, Math.max(spend, dollars), branches);
        }

        /** As facts whose names begin so. */
        public void tell(String prefix, Map<String, Object> facts) {
            facts.put(prefix + ".id", id.toString());
            facts.put(prefix + ".name", name);
            facts.put(prefix + ".role", role);
            facts.put(prefix + ".runtime", runtime);
            facts.put(prefix + ".tenant", tenant);
            facts.put(prefix + ".tier", (long) tier);
            facts.put(prefix + ".spend", spend);
        }
    }

    /** Whether a rule of that branch holds for this call. */
    boolean isIn(UUID branch) {
        return (caller != null && caller.branches.contains(branch))
                || (target != null && target.branches.contains(branch));
    }

    /** As {@link PolicyLanguage} takes them. */
    Map<String, Object> toMap() {
        Map<String, Object> facts = new HashMap<>();
        facts.put("method", call.method());
        facts.put("tool", call.tool());
        facts.put("caller.kind", call.caller() == null ? PERSON : WORKSPACE);
        (caller == null ? nobody() : caller).tell("caller", facts);
        (target == null ? nobody() : target).tell("target", facts);
        if (caller == null) {
            facts.put("caller.id", "");
        }
        if (target == null) {
            facts.put("target.id", "");
        }
        return facts;
    }

    private static Party nobody() {
        return new Party(new UUID(0, 0), "", "", "", "", 0, 0, new HashSet<>());
    }

    private static Map<String, Type> names() {
        Map<String, Type> names = new TreeMap<>();
        names.put("method", Type.TEXT);
        names.put("tool", Type.TEXT);
        names.put("caller.kind", Type.TEXT);
        OF_A_PARTY.forEach((name, type) -> {
            names.put("caller." + name, type);
            names.put("target." + name, type);
        });
        return Map.copyOf(names);
    }
}
