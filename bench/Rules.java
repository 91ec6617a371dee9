import ai.molecule.registry.policy.PolicyLanguage;
import ai.molecule.registry.policy.PolicyLanguage.Program;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a rule of the policy costs the registry, in processor time of one thread: compiling it, which is done once, and asking it. Medians of
 * rounds, in microseconds. The proxy asks the registry once in two seconds for the same caller, target and method, and not at all without rules.
 *
 * <pre>java --sun-misc-unsafe-memory-access=allow -cp 'cli/target/lib/*' bench/Rules.java</pre>
 */
final class Rules {

    private static final int ROUNDS = 9;
    private static final int EACH = 100_000;
    private static final String SHORT = "caller.kind == 'workspace' && caller.tier < 2 && method.startsWith('message/')";

    interface Work {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        System.out.printf("the first of all compiled: %.0f us%n", once(() -> PolicyLanguage.OF_CALLS.compile(SHORT)));
        var longest = new StringBuilder("caller.name.matches('^a+b+c+$')");
        for (int i = 0; longest.length() < 960; i++) {
            longest.append(" || target.name == 'n").append(i).append('\'');
        }
        tell("short", SHORT);
        tell("of 1,000 characters", longest.toString());
    }

    private static void tell(String name, String rule) throws Exception {
        List<Double> compiling = new ArrayList<>();
        List<Double> asking = new ArrayList<>();
        Program program = PolicyLanguage.OF_CALLS.compile(rule);
        Map<String, Object> facts = facts();
        for (int round = 0; round < ROUNDS; round++) {
            compiling.add(once(() -> {
                for (int i = 0; i < 100; i++) {
                    PolicyLanguage.OF_CALLS.compile(rule);
                }
            }) / 100);
            asking.add(once(() -> {
                for (int i = 0; i < EACH; i++) {
                    program.holds(facts);
                }
            }) / EACH);
        }
        System.out.printf(
                "%-20s compiling %7.0f   asking %6.2f   (us, median of %d rounds)%n",
                name, median(compiling), median(asking), ROUNDS);
    }

    private static Map<String, Object> facts() {
        Map<String, Object> facts = new HashMap<>(Map.of("method", "message/send", "tool", "", "caller.kind", "workspace"));
        for (String of : List.of("caller", "target")) {
            for (String text : List.of("id", "name", "role", "runtime", "tenant")) {
                facts.put(of + "." + text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
            }
            facts.put(of + ".tier", 3L);
            facts.put(of + ".spend", 1.5);
        }
        return facts;
    }

    private static double once(Work work) throws Exception {
        var threads = ManagementFactory.getThreadMXBean();
        long from = threads.getCurrentThreadCpuTime();
        work.run();
        return (threads.getCurrentThreadCpuTime() - from) / 1e3;
    }

    private static double median(List<Double> of) {
        return of.stream().sorted().toList().get(of.size() / 2);
    }
}
