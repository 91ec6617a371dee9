package ai.molecule.runtime.delegate;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.sdk.Peer;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Asks the named peers in parallel and answers with one line for each, in the order of the asks; a line is streamed as
 * soon as it and all before it are known.
 */
public final class DelegateExecutor implements AgentExecutor {

    /** More asks than this in one message are refused: each is a call to another agent. */
    static final int ASKS_MAX = 32;

    private static final String FORMAT = "Tell me whom to ask, one line each: ask <peer name>: <text>";
    private static final Skill SKILL = new Skill(
            "delegate",
            "Delegate",
            "Asks other workspaces and combines their answers. " + FORMAT,
            List.of("delegation", "demo"));

    private final PeerCalls calls;

    /** @param timeout how long one peer may take to answer */
    public DelegateExecutor(WorkspaceClient self, Duration timeout) {
        this.calls = new PeerCalls(self, timeout);
    }

    @Override
    public Skill skill() {
        return SKILL;
    }

    @Override
    public void answer(Prompt prompt, Reply reply) throws InterruptedException {
        List<Ask> asks = Ask.in(prompt.text());
        if (prompt.isInitial() && !asks.isEmpty()) {
            throw new AgentFailure("the initial prompt hands nothing on: the peers may not be there yet");
        }
        if (asks.isEmpty()) {
            reply.text(FORMAT);
        } else if (asks.size() > ASKS_MAX) {
            throw new AgentFailure("at most " + ASKS_MAX + " peers can be asked in one message");
        } else {
            askAll(asks, peers(), reply);
        }
    }

    private List<Peer> peers() {
        try {
            return calls.peers();
        } catch (PlatformException e) {
            throw new AgentFailure("the platform did not say who the peers are (" + e.error() + ")", e);
        }
    }

    private void askAll(List<Ask> asks, List<Peer> peers, Reply reply) throws InterruptedException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> lines = new ArrayList<>();
            for (Ask ask : asks) {
                lines.add(threads.submit(() -> calls.ask(ask, peers)));
            }
            try {
                for (int i = 0; i < lines.size(); i++) {
                    reply.chunk((i == 0 ? "" : "\n") + lines.get(i).get());
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } finally {
                threads.shutdownNow(); // a cancelled task must not leave calls behind; after the last line there are
                // none
            }
        }
    }
}
