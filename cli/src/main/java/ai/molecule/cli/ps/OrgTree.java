package ai.molecule.cli.ps;

import ai.molecule.cli.http.Agent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Agents as a list whose names show who leads whom. In the order they came, each once, also where the platform told of a circle. */
final class OrgTree {

    /** @param name with what goes before it */
    record Line(String name, Agent agent) {}

    private final Map<String, List<Agent>> below;
    private final Set<String> told = new HashSet<>();
    private final List<Line> lines = new ArrayList<>();

    private OrgTree(List<Agent> agents) {
        var ids = agents.stream().map(Agent::id).collect(Collectors.toSet());
        below = agents.stream()
                .collect(Collectors.groupingBy(agent -> ids.contains(agent.parent()) ? agent.parent() : ""));
    }

    static List<Line> flat(List<Agent> agents) {
        return agents.stream().map(agent -> new Line(agent.name(), agent)).toList();
    }

    static List<Line> of(List<Agent> agents) {
        var tree = new OrgTree(agents);
        agents.stream()
                .filter(agent -> tree.below.getOrDefault("", List.of()).contains(agent))
                .forEach(root -> tree.tell(root, "", ""));
        agents.forEach(circling -> tree.tell(circling, "", ""));
        return tree.lines;
    }

    /** @param own before its name, {@code others} before those of whom it leads */
    private void tell(Agent agent, String own, String others) {
        if (!told.add(agent.id())) {
            return;
        }
        lines.add(new Line(own + agent.name(), agent));
        var led = below.getOrDefault(agent.id(), List.of());
        for (int at = 0; at < led.size(); at++) {
            boolean last = at == led.size() - 1;
            tell(led.get(at), others + (last ? "└─ " : "├─ "), others + (last ? "   " : "│  "));
        }
    }
}
