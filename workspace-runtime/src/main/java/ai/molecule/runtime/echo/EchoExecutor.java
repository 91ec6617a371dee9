package ai.molecule.runtime.echo;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import java.util.List;

/** Answers {@code Echo: <text>}, a word at a time, with every space and line break where it was; or asks it, when it converses. */
public final class EchoExecutor implements AgentExecutor {

    private static final Skill SKILL =
            new Skill("echo", "Echo", "Repeats what it is told, word by word.", List.of("echo", "demo"));

    private final boolean converse;

    /** @param converse every answer is a question: the next message continues the task, which never completes */
    public EchoExecutor(boolean converse) {
        this.converse = converse;
    }

    @Override
    public Skill skill() {
        return SKILL;
    }

    @Override
    public void answer(Prompt prompt, Reply reply) {
        String answer = "Echo: " + prompt.text();
        if (converse) {
            reply.ask(answer);
            return;
        }
        int start = 0;
        for (int end = endOfWord(answer, 0); end < answer.length(); end = endOfWord(answer, start)) {
            reply.chunk(answer.substring(start, end));
            start = end;
        }
        reply.text(answer.substring(start));
    }

    /** Just behind the white space that follows the word at {@code from}. */
    private static int endOfWord(String text, int from) {
        int end = from;
        while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
            end++;
        }
        while (end < text.length() && Character.isWhitespace(text.charAt(end))) {
            end++;
        }
        return end;
    }
}
