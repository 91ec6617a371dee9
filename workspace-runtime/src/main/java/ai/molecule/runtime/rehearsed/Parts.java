package ai.molecule.runtime.rehearsed;

import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.sdk.WorkspaceClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The researcher, the tester and the writer. */
final class Parts {

    private static final List<String> GROUPS = List.of("dates", "times", "places", "hosts");
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
    private static final Duration LOOK_FOR = Duration.ofSeconds(20);

    private Parts() {}

    record Researcher(Calendar calendar) implements Part {

        @Override
        public String skill() {
            return "Reads the club's calendar and says what is in it.";
        }

        @Override
        public void play(Work work, Consumer<String> say) throws IOException, InterruptedException {
            String events = work.once(
                    "reading calendar.csv",
                    () -> String.valueOf(calendar.events().size()));
            String span = work.once("looking for the first and the last event", () -> {
                var days = calendar.events().stream()
                        .map(line -> line.split(",", 2)[0])
                        .sorted()
                        .toList();
                return days.getFirst() + " to " + days.getLast();
            });
            String places = work.once(
                    "counting places",
                    () -> String.valueOf(calendar.events().stream()
                            .map(line -> line.split(",", -1)[4])
                            .filter(place -> !place.isBlank())
                            .distinct()
                            .count()));
            say.accept("%s events from %s, at %s places.".formatted(events, span, places));
        }
    }

    record Tester(Calendar calendar) implements Part {

        @Override
        public String skill() {
            return "Runs the calendar's checks.";
        }

        @Override
        public void play(Work work, Consumer<String> say) throws IOException, InterruptedException {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < GROUPS.size(); i++) {
                String group = GROUPS.get(i);
                String step = "./check %s · step %d of %d".formatted(group, i + 1, GROUPS.size() + 1);
                lines.addAll(work.once(step, () -> String.join("\n", calendar.check(group)))
                        .lines()
                        .toList());
            }
            var failed =
                    lines.stream().filter(line -> line.startsWith("not ok")).toList();
            String sum = work.once(
                    "adding up · step 5 of 5",
                    () -> lines.size() - failed.size() + " of " + lines.size() + " checks pass.");
            say.accept(sum);
            failed.forEach(line -> say.accept("\n" + line.replaceFirst("not ok \\d+ - ", "Fails: ")));
        }
    }

    /**
     * @param folder where it works; the report goes to {@code out/} in it, once a person approved
     */
    record Writer(WorkspaceClient self, Path folder, String request) implements Part {

        private static final String FILE = "report.html";

        @Override
        public String skill() {
            return "Writes the report, and asks before it publishes.";
        }

        @Override
        public void play(Work work, Consumer<String> say) throws IOException, InterruptedException {
            String draft = work.once("writing " + FILE, () -> Report.html(request));
            String approval = work.once("asking to publish " + FILE, () -> ask(draft));
            work.at("waits for you: publish " + FILE);
            if (!isApproved(approval)) {
                say.accept("Not published: you said no. The draft is kept.");
                return;
            }
            work.once("publishing " + FILE, () -> publish(draft));
            say.accept("Published: /workspace/out/" + FILE);
        }

        private String ask(String draft) {
            var asked = self.requestApproval(
                    "publish %s to ./out: the file, %d lines"
                            .formatted(FILE, draft.lines().count()),
                    Report.headline(request) + "; it says so in line 1.");
            return asked.path("approval_id").asText();
        }

        /** Until a person, or time, decides. */
        private boolean isApproved(String approval) throws InterruptedException {
            while (true) {
                String status = self.approval(approval, LOOK_FOR)
                        .map(one -> one.path("status").asText())
                        .orElseThrow(() -> new AgentFailure("the platform does not know the approval any more"));
                if (!status.equals("pending")) {
                    return status.equals("approved");
                }
                Thread.sleep(LOOK_AGAIN);
            }
        }

        private String publish(String draft) throws IOException {
            Path out = Files.createDirectories(folder.resolve("out"));
            Files.writeString(out.resolve(FILE), draft);
            return FILE;
        }
    }
}
