package ai.molecule.runtime.prompts;

import ai.molecule.runtime.prompts.PlatformFacts.Named;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the platform says of an agent's surroundings. An answer counts until an event may have changed it, while the events are
 * listened to, and for {@link #AGE_MAX} at most; the first question opens the ears. What the platform does not say is as it was.
 */
final class PlatformKnowledge implements AutoCloseable {

    /** An event may be lost. */
    static final Duration AGE_MAX = Duration.ofMinutes(5);

    /** For as long an agent waits before it answers from what it knew. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** A platform that does not answer, or cannot be listened to, is not asked again before. */
    static final Duration PAUSE = Duration.ofSeconds(2);

    private static final Logger LOGGER = LoggerFactory.getLogger(PlatformKnowledge.class);

    private final ClientConfig config;
    private final WorkspaceClient workspace;
    private final String parentAtStart;
    private @Nullable PlatformEvents events;
    private PlatformFacts facts = PlatformFacts.NONE;
    private long askedNanos;
    private long asOf;
    private boolean asked;
    private boolean complete;

    /** @param parentAtStart empty for a root */
    PlatformKnowledge(ClientConfig config, String parentAtStart) {
        this.config = config;
        this.workspace = new WorkspaceClient(config);
        this.parentAtStart = parentAtStart;
    }

    /** Never fails; waits {@link #PATIENCE} at most. */
    synchronized PlatformFacts facts() {
        if (events == null) {
            events = PlatformEvents.open(config);
        }
        if (!asked || !counts(events, System.nanoTime() - askedNanos)) {
            long before = events.changes();
            ask();
            asked = true;
            askedNanos = System.nanoTime();
            asOf = before;
        }
        return facts;
    }

    @Override
    public synchronized void close() {
        if (events != null) {
            events.close();
        }
    }

    private boolean counts(PlatformEvents current, long age) {
        if (complete && current.listening()) {
            return asOf == current.changes() && age < AGE_MAX.toNanos();
        }
        return age < PAUSE.toNanos();
    }

    private void ask() {
        var known = facts;
        var instructions = inBackground(workspace::instructions);
        var peers = inBackground(workspace::peers);
        var context = inBackground(this::parentContext);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        complete = true;
        facts = new PlatformFacts(
                within(deadline, instructions, known.instructions()),
                within(deadline, context, known.parentContext()),
                within(deadline, peers, known.peers()));
    }

    private List<Named> parentContext() {
        String parent = parentId();
        List<Named> shared = new ArrayList<>();
        if (!parent.isEmpty()) {
            for (JsonNode item : workspace.sharedContext(parent)) {
                String text = item.path("content").asText("");
                if (!text.isBlank()) {
                    shared.add(new Named(item.path("path").asText(""), text));
                }
            }
        }
        return shared;
    }

    /** A workspace may be moved while its agent runs. */
    private String parentId() {
        try {
            return workspace.describe().path("parent_id").asText("");
        } catch (PlatformException e) {
            return parentAtStart;
        }
    }

    private <T> T within(long deadline, CompletableFuture<T> answer, T known) {
        try {
            return answer.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            complete = false;
        } catch (ExecutionException e) {
            complete &= isFinal(e.getCause());
            LOGGER.atDebug().setCause(e.getCause()).log("the platform did not say");
        } catch (TimeoutException e) {
            complete = false;
        }
        return known;
    }

    /** A refusal is an answer: asking again would only bring it again. */
    private static boolean isFinal(@Nullable Throwable failure) {
        return failure instanceof PlatformException e && e.status() >= 400 && e.status() < 429;
    }

    private static <T> CompletableFuture<T> inBackground(Supplier<T> question) {
        var answer = new CompletableFuture<T>();
        Thread.ofVirtual().name("platform-question").start(() -> {
            try {
                answer.complete(question.get());
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }
}
