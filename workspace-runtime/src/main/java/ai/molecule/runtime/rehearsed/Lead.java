package ai.molecule.runtime.rehearsed;

import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.tools.PeerActivity;
import ai.molecule.sdk.A2aAnswer;
import ai.molecule.sdk.A2aException;
import ai.molecule.sdk.Peer;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * The lead: asks the researcher and the tester at the same time, then the writer, and answers with what they found. Whom it asked and
 * lost it asks again, by the same name of the work, so that nothing is repeated.
 */
record Lead(WorkspaceClient self) implements Part {

    /** The longest a person may take to decide, of what the platform lets a caller wait. */
    private static final Duration PATIENCE = Duration.ofMinutes(29);

    private static final Duration ASK_AGAIN_AFTER = Duration.ofSeconds(2);
    private static final int TRIES_MAX = 60;

    @Override
    public String skill() {
        return "Asks a researcher, a tester and a writer whether the club calendar is ready to release.";
    }

    @Override
    public void play(Work work, Consumer<String> say) throws IOException, InterruptedException {
        say.accept("I ask three.\n");
        String calendar;
        String checks;
        try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
            var reading = both.submit(() -> ask(work, "Researcher", "What is in the club calendar?"));
            var checking = both.submit(() -> ask(work, "Tester", "Does the club calendar pass ./check?"));
            try {
                calendar = of(reading);
                say.accept("\nResearcher: " + calendar + "\n");
                checks = of(checking);
                say.accept("\nTester: " + checks + "\n");
            } finally {
                both.shutdownNow();
            }
        }
        String report = ask(
                work,
                "Writer",
                "Write a report of one page, and ask before you publish it.\n" + calendar + "\n" + checks);
        say.accept("\nWriter: " + report + "\n\n" + Report.headline(checks) + ".");
    }

    /** Not an answer, and worth asking again. */
    private static final class Lost extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Lost(String why) {
            super(why);
        }
    }

    private String ask(Work work, String name, String request) throws IOException, InterruptedException {
        return work.once("asking " + name, () -> {
            for (int tries = 1; ; tries++) {
                try {
                    return asked(peer(name), work.named(request));
                } catch (PlatformException | A2aException | Lost lost) {
                    if (tries == TRIES_MAX) {
                        throw new AgentFailure(name + " gave no answer: " + lost.getMessage(), lost);
                    }
                    work.at("waiting for " + name + " to come back");
                    Thread.sleep(ASK_AGAIN_AFTER);
                }
            }
        });
    }

    private String asked(Peer peer, String request) {
        String messageId = UUID.randomUUID().toString();
        PeerActivity.asked(self, peer.id(), peer.name(), request, messageId);
        var response = self.ask(peer.id(), request, PATIENCE, messageId);
        if (A2aAnswer.isQueued(response)) {
            throw new Lost("it is busy");
        }
        var answer = A2aAnswer.fromResponse(response);
        if (answer.text().startsWith("Agent error:")) {
            throw new Lost(answer.text());
        }
        PeerActivity.answered(self, peer.id(), peer.name(), answer.text());
        return answer.text();
    }

    private Peer peer(String name) {
        return self.peers().stream()
                .filter(peer -> peer.name().equals(name) && peer.parentId().equals(self.id()))
                .findFirst()
                .orElseThrow(() -> new AgentFailure("there is no " + name + " in my team"));
    }

    private static String of(Future<String> answer) throws IOException, InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException broken) {
                throw broken;
            }
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
