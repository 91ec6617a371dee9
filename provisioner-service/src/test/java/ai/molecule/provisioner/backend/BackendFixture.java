package ai.molecule.provisioner.backend;

import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A backend whose agents run the shell script in their secret {@code SCRIPT}; what a test started is gone after it. */
@ExtendWith(VertxExtension.class)
public abstract class BackendFixture {

    protected static final String STEADY = "echo started; while :; do sleep 0.1; done";

    @SuppressWarnings("NullAway.Init")
    protected Backend backend;

    protected final UUID id = UUID.randomUUID();

    /** One that starts such agents; another call is another provisioner on the same engine. */
    protected abstract Backend backend(Vertx vertx) throws Exception;

    @BeforeEach
    void open(Vertx vertx) throws Exception {
        backend = backend(vertx);
    }

    @AfterEach
    void leaveNothing() {
        if (backend
                == null) { // JUnit calls this too when opening was skipped, and a failure here would hide the reason
            return;
        }
        backend.findAlive(id, null)
                .await()
                .ifPresent(process -> backend.stop(process).await());
        backend.delete(id).await();
    }

    protected final AgentProcess start(String script) {
        return start(Map.of("SCRIPT", script));
    }

    protected final AgentProcess start(Map<String, String> secrets) {
        backend.files()
                .write(id, Root.CONFIGS, Map.of(FilePath.of("note"), Buffer.buffer("a note\n")))
                .await();
        return backend.start(launch(secrets, 2, 3)).await();
    }

    protected final Launch launch(Map<String, String> secrets, int tier, int incarnation) {
        var workspace = WorkspaceBuilder.workspace(id)
                .name("Agent \"$(id)\" `id` --privileged")
                .role("line one\nline two")
                .tier(tier)
                .incarnation(incarnation)
                .build();
        int port = backend.choosePort(null, Set.of()).await();
        return new Launch(workspace, port, "the-token", new HashMap<>(secrets));
    }

    protected final String log() {
        return backend.logTail(id).await();
    }

    protected final void awaitLog(String words) {
        await().until(() -> log().contains(words));
    }
}
