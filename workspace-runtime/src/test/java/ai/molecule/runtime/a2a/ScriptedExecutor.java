package ai.molecule.runtime.a2a;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** An agent that does what the message says: {@code fail}, {@code break}, {@code wait}, {@code flood}, {@code question}, {@code sign in}, {@code reject}, {@code data}, {@code only data}, {@code direct}, {@code direct data}, {@code direct fail}, or else answer {@code done: <text>}. */
final class ScriptedExecutor implements AgentExecutor {

    static final int FLOOD_CHUNKS = 300;
    static final String FLOOD_CHUNK = "x".repeat(4_000);

    final AtomicInteger runs = new AtomicInteger();
    final AtomicInteger interrupted = new AtomicInteger();
    final CountDownLatch waiting = new CountDownLatch(1);
    final CountDownLatch release = new CountDownLatch(1);

    @Override
    public Skill skill() {
        return new Skill("scripted", "Scripted", "Does what it is told.", List.of("test"));
    }

    @Override
    public boolean answersDirectly(String messageId, String text) {
        return text.startsWith("direct");
    }

    @Override
    public void answer(Prompt prompt, Reply reply) throws Exception {
        runs.incrementAndGet();
        switch (prompt.text()) {
            case "fail" -> throw new AgentFailure("no such\n  thing");
            case "break" -> throw new IllegalStateException("password=hunter2 at /root/secret");
            case "wait" -> {
                reply.chunk("one ");
                waiting.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                    throw e;
                }
                reply.chunk("two");
            }
            case "flood" -> {
                for (int i = 0; i < FLOOD_CHUNKS; i++) {
                    reply.chunk(FLOOD_CHUNK);
                }
            }
            case "too much" -> {
                for (int i = 0; i < 10; i++) {
                    reply.chunk("x".repeat(1024 * 1024));
                }
            }
            case "silence" -> {}
            case "question" -> reply.ask("which one?");
            case "sign in" -> reply.askToSignIn("sign in at the bank");
            case "direct" -> reply.text("at once");
            case "direct fail" -> throw new AgentFailure("not even that");
            case "data", "only data", "direct data" -> {
                if (prompt.text().equals("data")) {
                    reply.chunk("see ");
                }
                reply.data(Json.object().put("n", 1));
                reply.link("https://x.example/plan.pdf", "plan.pdf", "application/pdf");
            }
            case "reject" -> reply.reject("that is not for me");
            default -> reply.text("done: " + prompt.text());
        }
    }
}
