package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the policy's rules say of a call that the org chart allows. Called by the proxy where there are rules and it has no fresh answer.
 * Reads only, so it may be repeated.
 *
 * @param caller null for a person
 * @param target null where a tool of the platform is called
 * @param method as A2A 0.3 names it, or {@code tools/call}; at most {@value #NAME_MAX_CHARS} characters
 * @param tool its name; empty for a message
 */
public record JudgeCall(@Nullable UUID caller, @Nullable UUID target, String method, String tool) {

    public static final int NAME_MAX_CHARS = 100;

    /** Of a call of a tool. */
    public static final String TOOL_CALL = "tools/call";

    /** Of a message, where nothing else is said. */
    public static final String MESSAGE = "message/send";

    public static final Contract<JudgeCall, Verdicts> CONTRACT =
            Contract.reading("registry.judge-call", JudgeCall.class, Verdicts.class);

    /** A workspace calls a tool of the platform. */
    public static JudgeCall ofTool(UUID caller, String tool) {
        String name = tool.length() <= NAME_MAX_CHARS ? tool : tool.substring(0, NAME_MAX_CHARS);
        return new JudgeCall(caller, null, TOOL_CALL, name);
    }

    /**
     * Of a rule that refuses the call, or would.
     *
     * @param of whose rule it is, for people
     * @param enforced whether it is refused; else it is only to be written down
     * @param says the rule's own words, or why it could not be told; may be empty
     */
    public record Verdict(String rule, String of, boolean enforced, String says) {

        /** A sentence for whoever is refused. */
        public String sentence() {
            return "the policy rule %s of %s %s this%s"
                    .formatted(rule, of, enforced ? "refuses" : "would refuse", says.isEmpty() ? "" : ": " + says);
        }
    }

    /** Those that refuse first, each kind in the order in which rules are listed. */
    public record Verdicts(List<Verdict> verdicts) {

        /** Why the call is not made; empty where it may be. */
        public Optional<String> refusal() {
            return verdicts.stream().filter(Verdict::enforced).findFirst().map(Verdict::sentence);
        }
    }
}
