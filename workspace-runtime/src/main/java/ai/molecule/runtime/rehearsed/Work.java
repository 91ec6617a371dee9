package ai.molecule.runtime.rehearsed;

import ai.molecule.runtime.agent.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;

/** One piece of work of one agent: runs each step once, however often the agent is killed, and says which it is at. */
final class Work {

    private static final Pattern NAMED = Pattern.compile("\\(work ([a-z0-9-]{1,36})\\)");

    /** What a step comes to. */
    interface Step {
        String run() throws IOException, InterruptedException;
    }

    private final String id;
    private final StepFile file;
    private final Reply reply;
    private final Duration pace;

    /** @param pace the least time of a step, for whoever watches */
    Work(String id, StepFile file, Reply reply, Duration pace) {
        this.id = id;
        this.file = file;
        this.reply = reply;
        this.pace = pace;
    }

    /** The name that a message gives the work it is part of; {@code otherwise} for one that begins some. */
    static String nameIn(String message, String otherwise) {
        var named = NAMED.matcher(message);
        return named.find() ? named.group(1) : otherwise;
    }

    /** Told to others, so that asking twice is the same work. */
    String named(String request) {
        return request + " (work " + id + ")";
    }

    /** What the step came to, now or before. */
    String once(String step, Step todo) throws IOException, InterruptedException {
        var before = file.find(id, step);
        if (before.isPresent()) {
            return before.get();
        }
        reply.step(step);
        Thread.sleep(pace);
        String result = todo.run();
        file.keep(id, step, result);
        return result;
    }

    /** Says what it is at, without keeping it. */
    void at(String step) {
        reply.step(step);
    }
}
