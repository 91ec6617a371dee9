package ai.molecule.registry.policy;

import ai.molecule.common.bus.events.CallsSince.Alike;
import ai.molecule.common.http.Answers;
import ai.molecule.common.json.Json;
import ai.molecule.registry.policy.CallFacts.Party;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What rules would have refused of the calls that there were.
 *
 * @param calls how many were tried
 * @param unknown how many more were of somebody who is not there any more
 * @param more whether there were more, which were not tried
 */
record PolicyTrial(List<OfRule> rules, long calls, long unknown, boolean more) {

    /** As many of those that a rule refuses are told one by one, the latest. */
    private static final int TOLD_MAX = 20;

    /** Calls alike that a rule refuses. */
    record Refused(Alike call, String caller, String target, String says) {}

    /** @param times how many calls it refuses */
    record OfRule(PolicyRule rule, long times, List<Refused> latest) {

        private ObjectNode toJson() {
            var answer = rule.toJson();
            answer.remove(List.of("created_at", "updated_at"));
            answer.put("would_refuse", times);
            answer.set("latest", Answers.array(latest, OfRule::toJson));
            return answer;
        }

        private static ObjectNode toJson(Refused refused) {
            var call = refused.call;
            return Json.object()
                    .put("caller", call.caller() == null ? null : call.caller().toString())
                    .put("caller_name", refused.caller)
                    .put("target", call.target().toString())
                    .put("target_name", refused.target)
                    .put("method", call.method())
                    .put("says", refused.says)
                    .put("times", call.times())
                    .put("last_at", Json.time(call.last()));
        }
    }

    /** {@code {"calls", "unknown", "more", "rules": […]}}. */
    ObjectNode toJson() {
        var answer = Json.object().put("calls", calls).put("unknown", unknown).put("more", more);
        answer.set("rules", Answers.array(rules, OfRule::toJson));
        return answer;
    }

    /** Counts, in the order in which calls are listed: the latest first. */
    static final class Counting {

        private final List<PolicyRule> rules;
        private final long[] times;
        private final List<List<Refused>> latest = new ArrayList<>();
        private boolean more;
        private long calls;
        private long unknown;

        Counting(List<PolicyRule> rules, boolean more) {
            this.rules = rules;
            this.more = more;
            this.times = new long[rules.size()];
            rules.forEach(rule -> latest.add(new ArrayList<>()));
        }

        void unknown(Alike call) {
            unknown += call.times();
        }

        void leaveTheRest() {
            more = true;
        }

        void known(Alike call) {
            calls += call.times();
        }

        void refused(int nth, Alike call, @Nullable Party caller, Party target, String says) {
            times[nth] += call.times();
            if (latest.get(nth).size() < TOLD_MAX) {
                latest.get(nth).add(new Refused(call, caller == null ? "" : caller.name(), target.name(), says));
            }
        }

        PolicyTrial end() {
            List<OfRule> tried = new ArrayList<>();
            for (int nth = 0; nth < rules.size(); nth++) {
                tried.add(new OfRule(rules.get(nth), times[nth], List.copyOf(latest.get(nth))));
            }
            return new PolicyTrial(tried, calls, unknown, more);
        }
    }
}
