package ai.molecule.cli.machine;

import ai.molecule.cli.Console;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Findings for people, or for programs; and whether a platform can start. */
public record MachineReport(List<Finding> findings) {

    /** @return the exit code: 2 where something has to be changed first */
    public int print(Console console, boolean json) {
        long bad = findings.stream()
                .filter(each -> each.verdict() == Finding.Verdict.BAD)
                .count();
        if (json) {
            console.out(new JsonObject()
                    .put(
                            "findings",
                            new JsonArray(findings.stream().map(Finding::toJson).toList()))
                    .encode());
            return bad == 0 ? 0 : 2;
        }
        int width =
                findings.stream().mapToInt(each -> each.name().length()).max().orElse(0);
        String row = "%-4s  %-" + Math.max(1, width) + "s  %s";
        for (Finding each : findings) {
            console.out(row.formatted(each.verdict().word(), each.name(), each.says()));
            if (!each.todo().isEmpty()) {
                console.out(row.formatted("", "", "-> " + each.todo()));
            }
        }
        console.say(
                bad == 0
                        ? "Nothing stands in the way of ./molecule up."
                        : "%d of these keep ./molecule up from working.".formatted(bad));
        return bad == 0 ? 0 : 2;
    }
}
