package ai.molecule.system;

import ai.molecule.runtime.a2a.A2aServer;
import ai.molecule.runtime.a2a.Access;
import ai.molecule.runtime.a2a.AgentCard;
import ai.molecule.runtime.a2a.CallerProof;
import ai.molecule.runtime.a2a.CardForm;
import ai.molecule.runtime.a2a.TranscriptSource;
import ai.molecule.runtime.agent.Transcript;
import ai.molecule.runtime.rehearse.RehearseExecutor;
import ai.molecule.runtime.tasks.Surroundings;
import ai.molecule.runtime.tasks.Tasks;
import ai.molecule.runtime.tasks.WorkMeter;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.identity.PairTokenCheck;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import java.util.List;

/** Our runtime in this JVM, with the agent that obeys scripts: everybody may call it, also past the platform. */
final class ScriptedAgent implements AutoCloseable {

    private static final long MEMORY = 64L * 1024 * 1024;

    private final Vertx vertx = Vertx.vertx();
    final int port;

    /** @param id of the workspace that it is the agent of */
    ScriptedAgent(String id, Path folder, Platform platform) {
        var executor = new RehearseExecutor("", folder);
        var server = new A2aServer(
                vertx,
                new Access(
                        id,
                        TokenFile.in(folder),
                        new PairTokenCheck(
                                id,
                                () -> platform.get("/.well-known/jwks.json"),
                                InstantSource.system(),
                                System::nanoTime),
                        CallerProof.NONE),
                new Tasks(executor, new WorkMeter(), Clock.systemUTC(), MEMORY, Surroundings.in(folder, () -> "")),
                at -> AgentCard.create("Scripted", "", "1.0.0", "http://localhost:" + at, List.of(executor.skill())),
                CardForm.BOTH,
                new NoTranscript(),
                told -> {},
                MEMORY);
        port = server.listen("127.0.0.1", 0).await();
    }

    private static final class NoTranscript implements TranscriptSource {

        @Override
        public String runtime() {
            return "rehearse";
        }

        @Override
        public Transcript read(int since, int limit) {
            return new Transcript(false, List.of(), since, false, "none");
        }
    }

    @Override
    public void close() {
        vertx.close().await();
    }
}
