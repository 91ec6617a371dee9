package ai.molecule.cli.machine;

import ai.molecule.cli.Console;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Findings for people, or for programs; and whether a platform can start. */
public record MachineReport(List<Finding> findings) {

    private static final int LINE_MAX_CHARS = 80;

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
        int room = LINE_MAX_CHARS - 8 - width;
        for (Finding each : findings) {
            var lines = new ArrayList<>(wrapped(each.says(), room));
            if (!each.todo().isEmpty()) {
                wrapped("-> " + each.todo(), room).forEach(lines::add);
            }
            for (int at = 0; at < lines.size(); at++) {
                boolean first = at == 0;
                console.out(row.formatted(first ? each.verdict().word() : "", first ? each.name() : "", lines.get(at)));
            }
        }
        console.say(
                bad == 0
                        ? "Nothing stands in the way of ./molecule up."
                        : "%d of these keep ./molecule up from working.".formatted(bad));
        return bad == 0 ? 0 : 2;
    }

    private static List<String> wrapped(String text, int room) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > room) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
