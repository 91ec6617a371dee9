package ai.molecule.runtime.rehearse;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plays what it was started with for such a message, else what is left of its task's script, else the script that the message is, else the one it was
 * started with, else says the message back. In what it says {@code $answer} is the message
 * that it goes on with. What is left of a script behind a question is kept for the last {@value #KEPT_MAX} tasks, until the agent ends.
 */
public final class RehearseExecutor implements AgentExecutor {

    private static final int KEPT_MAX = 1_000;
    private static final String FOLDER = "rehearse";

    private final Script started;
    private final Path workspaceFolder;
    private final Map<String, List<Line>> left = new LinkedHashMap<>();

    /**
     * @param script a {@link Script}; empty for none
     * @throws IllegalArgumentException when it is no script
     */
    public RehearseExecutor(String script, Path workspaceFolder) {
        this.started = Script.of(script);
        this.workspaceFolder = workspaceFolder;
    }

    @Override
    public Skill skill() {
        return new Skill(
                "rehearse", "Rehearse", "Obeys a script of words, waits, questions and ends.", List.of("demo", "test"));
    }

    @Override
    public void answer(Prompt prompt, Reply reply) throws IOException, InterruptedException {
        List<Line> script = script(prompt);
        for (int i = 0; i < script.size(); i++) {
            Line line = script.get(i);
            String about = line.about().replace("$answer", prompt.text());
            switch (line.what()) {
                case WAIT -> Thread.sleep(line.length());
                case SAY -> reply.chunk(about + "\n");
                case STEP -> reply.step(about);
                case FILE -> file(about, reply);
                case DATA -> data(line.about(), prompt.text()).ifPresent(reply::data);
                case LINK -> link(about, reply);
                case MESSAGE -> reply.chunk(about);
                case ASK -> reply.ask(about);
                case AUTH -> reply.askToSignIn(about);
                case REJECT -> reply.reject(about);
                case FAIL -> throw new AgentFailure(about);
            }
            if (line.what().endsTurn()) {
                keep(prompt.taskId(), script.subList(i + 1, script.size()));
                return;
            }
        }
    }

    @Override
    public boolean answersDirectly(String messageId, String text) {
        try {
            return started.caseOf(messageId, text)
                            .orElseGet(() -> scriptOf(text))
                            .getFirst()
                            .what()
                    == Line.What.MESSAGE;
        } catch (IllegalArgumentException wrong) {
            return false; // and its task fails
        }
    }

    private List<Line> script(Prompt prompt) {
        List<Line> begun = takeLeft(prompt.taskId());
        var meant = started.caseOf(prompt.message().path("messageId").asText(), prompt.text());
        if (meant.isPresent()) {
            return meant.get();
        }
        try {
            return begun.isEmpty() ? scriptOf(prompt.text()) : begun;
        } catch (IllegalArgumentException wrong) {
            throw new AgentFailure(String.valueOf(wrong.getMessage()));
        }
    }

    private List<Line> scriptOf(String text) {
        return Line.script(text).or(started::otherwise).orElseGet(() -> List.of(new Line(Line.What.SAY, "$answer")));
    }

    /** With the message in its place in texts of the object, too. */
    private static Optional<ObjectNode> data(String about, String message) {
        String quoted = JsonNodeFactory.instance.textNode(message).toString();
        return Line.data(about.replace("$answer", quoted.substring(1, quoted.length() - 1)))
                .or(() -> Line.data(about));
    }

    private static void link(String about, Reply reply) {
        String[] words = about.split(" ", 2);
        String path = words[0].replaceFirst("[?#].*", "").replaceFirst("/+$", "");
        reply.link(
                words[0],
                path.substring(path.lastIndexOf('/') + 1),
                words.length > 1 ? words[1] : "application/octet-stream");
    }

    private void file(String about, Reply reply) throws IOException {
        int space = about.indexOf(' ');
        String name = space < 0 ? about : about.substring(0, space);
        Path folder = Files.createDirectories(workspaceFolder.resolve(FOLDER));
        Files.writeString(folder.resolve(name), space < 0 ? "" : about.substring(space + 1));
        reply.chunk("/workspace/" + FOLDER + "/" + name + "\n"); // what an answer names so goes with it
    }

    private synchronized List<Line> takeLeft(String taskId) {
        List<Line> kept = left.remove(taskId);
        return kept == null ? List.of() : kept;
    }

    private synchronized void keep(String taskId, List<Line> lines) {
        if (lines.isEmpty()) {
            return;
        }
        left.put(taskId, List.copyOf(lines));
        Iterator<String> oldest = left.keySet().iterator();
        while (left.size() > KEPT_MAX) {
            oldest.next();
            oldest.remove();
        }
    }
}
