package ai.molecule.runtime.adapter;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.ToolUse;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Tries whether an agent keeps to the contract of {@link AgentExecutor}, whatever its kind. Each rule is tried with messages of its own, one
 * rule after the other, so an agent with a model pays for about six answers.
 */
public final class AdapterTrial {

    /** For one answer, and for coming to rest when a task is canceled. */
    static final Duration ANSWER_MAX = Duration.ofMinutes(2);

    static final Duration REST_MAX = Duration.ofSeconds(10);

    private static final int AT_ONCE = 4;
    private static final String LONG = "Answer this in one word. " + "All of it is to be taken. ".repeat(2_000);

    /** @param problem empty when the rule is kept */
    public record Finding(String rule, String problem) {

        public boolean isKept() {
            return problem.isEmpty();
        }
    }

    private interface Rule {
        /** What is wrong, or nothing. */
        String broken() throws Exception;
    }

    private final AgentExecutor agent;
    private final List<Finding> findings = new ArrayList<>();

    private AdapterTrial(AgentExecutor agent) {
        this.agent = agent;
    }

    /** Closes the agent in the end. */
    public static List<Finding> of(AgentExecutor agent) {
        var trial = new AdapterTrial(agent);
        trial.look("it says what it can do", trial::skills);
        trial.look("it answers a message", () -> said(trial.ask("trial-1", "Say hello.")));
        trial.look(
                "it takes other letters, quotes and line breaks",
                () -> said(trial.ask("trial-2", "Say \"ä € 漢 😀\"\nand \\ too.")));
        trial.look("it takes a message of 50,000 characters", () -> said(trial.ask("trial-3", LONG)));
        trial.look("it answers " + AT_ONCE + " messages at the same time", trial::atOnce);
        trial.look("a canceled task comes to rest within " + REST_MAX.toSeconds() + " s", trial::canceled);
        trial.look("it answers after a canceled task", () -> said(trial.ask("trial-9", "Say hello again.")));
        trial.look("it gives back the state it is to keep", trial::state);
        trial.look("it ends when it is closed", trial::closed);
        return List.copyOf(trial.findings);
    }

    private void look(String rule, Rule rules) {
        String problem;
        try {
            problem = rules.broken();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            problem = "interrupted";
        } catch (Exception | LinkageError broken) {
            problem = broken instanceof AgentFailure ? String.valueOf(broken.getMessage()) : broken.toString();
        }
        findings.add(new Finding(rule, problem));
    }

    private String skills() {
        var skill = agent.skill();
        return skill.id().isBlank()
                        || skill.name().isBlank()
                        || skill.description().isBlank()
                ? "its skill has no id, name or description"
                : agent.skills().isEmpty() ? "it has no skills" : "";
    }

    private String atOnce() throws Exception {
        List<Answering> all = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            all.add(begin("trial-4-" + i, "Say " + i + "."));
        }
        for (Answering each : all) {
            String problem = said(each.end(ANSWER_MAX));
            if (!problem.isEmpty()) {
                return problem;
            }
        }
        return "";
    }

    private String canceled() throws Exception {
        Answering answering = begin("trial-5", "Count slowly from one to ten thousand.");
        answering.thread.interrupt();
        try {
            answering.end(REST_MAX);
            return "";
        } catch (TimeoutException e) {
            return "it still works on it";
        } catch (ExecutionException asItMay) {
            return "";
        }
    }

    private String state() {
        agent.restore(agent.stateToKeep());
        return "";
    }

    private String closed() throws InterruptedException {
        var closing = Thread.ofVirtual().start(agent::close);
        return closing.join(REST_MAX) ? "" : "it does not end within " + REST_MAX.toSeconds() + " s";
    }

    private static String said(Heard heard) {
        return heard.text().isBlank() && heard.question.isEmpty() ? "it said nothing" : "";
    }

    private Heard ask(String taskId, String text) throws Exception {
        try {
            return begin(taskId, text).end(ANSWER_MAX);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        } catch (TimeoutException e) {
            throw new AgentFailure("no answer within " + ANSWER_MAX.toSeconds() + " s");
        }
    }

    private record Answering(Thread thread, CompletableFuture<Heard> heard) {
        Heard end(Duration atMost) throws InterruptedException, ExecutionException, TimeoutException {
            return heard.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private Answering begin(String taskId, String text) {
        var message = JsonNodeFactory.instance.objectNode().put("role", "user").put("messageId", "message-" + taskId);
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        JsonNode none = JsonNodeFactory.instance.missingNode();
        var prompt = new Prompt(taskId, "context-" + taskId, text, message, none);
        var heard = new CompletableFuture<Heard>();
        var reply = new Heard();
        Thread thread = Thread.ofVirtual().name(taskId).start(() -> {
            try {
                agent.answer(prompt, reply);
                heard.complete(reply);
            } catch (Throwable failed) {
                heard.completeExceptionally(failed);
            } finally {
                reply.over = true;
            }
        });
        return new Answering(thread, heard);
    }

    private static final class Heard implements Reply {

        private final StringBuilder words = new StringBuilder();
        private String question = "";
        private volatile boolean over;

        synchronized String text() {
            return words.toString();
        }

        @Override
        public synchronized void chunk(String text) {
            if (over) {
                throw new CancellationException("the task is over");
            }
            words.append(text);
        }

        @Override
        public void text(String text) {
            chunk(text);
        }

        @Override
        public synchronized void ask(String asked) {
            question = asked;
        }

        @Override
        public void used(ToolUse tool) {
            // nobody looks at it here
        }
    }
}
