package ai.molecule.runtime.rehearsed;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.sdk.WorkspaceClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Plays one of the parts. One piece of work at a time, so that one asked for twice is done once. */
public final class RehearsedExecutor implements AgentExecutor {

    private static final Duration PACE = Duration.ofMillis(1_200);
    /** What the platform tells an agent by itself after a restart begins so. */
    private static final String NEWS = "=== ";

    private static final String MODEL = "recorded:";
    private static final List<String> PARTS = List.of("lead", "researcher", "tester", "writer");

    private final String part;
    private final WorkspaceClient self;
    private final Calendar calendar;
    private final Path workspaceFolder;
    private final StepFile steps;
    private final Duration pace;
    private final ReentrantLock one = new ReentrantLock();

    /**
     * @param model {@code recorded:lead}, {@code researcher}, {@code tester} or {@code writer}
     * @param configFolder holds the calendar
     * @throws NotReady for any other part
     */
    public RehearsedExecutor(String model, WorkspaceClient self, Path configFolder, Path workspaceFolder) {
        this(model, self, configFolder, workspaceFolder, PACE);
    }

    RehearsedExecutor(String model, WorkspaceClient self, Path configFolder, Path workspaceFolder, Duration pace) {
        this.part = model.startsWith(MODEL) ? model.substring(MODEL.length()) : model;
        if (!PARTS.contains(part)) {
            throw new NotReady(
                    "Model",
                    "nothing is rehearsed for %s".formatted(model.isEmpty() ? "no model" : model),
                    "Set model to one of recorded:" + String.join(", recorded:", PARTS));
        }
        this.self = self;
        this.calendar = new Calendar(configFolder);
        this.workspaceFolder = workspaceFolder;
        this.steps = new StepFile(workspaceFolder.resolve(".molecule").resolve("steps.json"));
        this.pace = pace;
    }

    @Override
    public Skill skill() {
        return new Skill(part, "Club calendar", part("").skill(), List.of("demo"));
    }

    @Override
    public void answer(Prompt prompt, Reply reply) throws Exception {
        if (prompt.text().startsWith(NEWS)) {
            reply.text("I am back, and go on when I am asked."); // nothing starts that nobody asked for
            return;
        }
        one.lockInterruptibly();
        try {
            String id = Work.nameIn(prompt.text(), prompt.taskId());
            part(prompt.text()).play(new Work(id, steps, reply, pace), reply::chunk);
        } finally {
            one.unlock();
        }
    }

    private Part part(String request) {
        return switch (part) {
            case "lead" -> new Lead(self);
            case "researcher" -> new Parts.Researcher(calendar);
            case "tester" -> new Parts.Tester(calendar);
            default -> new Parts.Writer(self, workspaceFolder, request);
        };
    }
}
