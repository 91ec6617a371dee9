package ai.molecule.runtime;

import ai.molecule.runtime.a2a.A2aServer;
import ai.molecule.runtime.a2a.Access;
import ai.molecule.runtime.a2a.AgentCard;
import ai.molecule.runtime.a2a.TranscriptSource;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.Transcript;
import ai.molecule.runtime.platform.PlatformLink;
import ai.molecule.runtime.platform.ResultsFile;
import ai.molecule.runtime.platform.Routines;
import ai.molecule.runtime.platform.SecretsWatch;
import ai.molecule.runtime.platform.SpanReports;
import ai.molecule.runtime.platform.Vitals;
import ai.molecule.runtime.tasks.Surroundings;
import ai.molecule.runtime.tasks.TaskJournal;
import ai.molecule.runtime.tasks.Tasks;
import ai.molecule.runtime.tasks.WorkMeter;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformClient;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Composition root: a running agent, listening first and registered as soon as the platform lets it. */
public final class WorkspaceAgent implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(WorkspaceAgent.class);
    private static final Duration ANSWERS_GRACE = Duration.ofSeconds(2);
    private static final Duration REST_GRACE = Duration.ofSeconds(2);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LISTEN_TIMEOUT = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final Tasks tasks;
    private final A2aServer server;
    private final String url;
    private final PlatformLink link;
    private final Routines routines;
    private final Runnable keepState;
    private final Runnable letGo;

    private WorkspaceAgent(
            Vertx vertx,
            Tasks tasks,
            A2aServer server,
            String url,
            PlatformLink link,
            Routines routines,
            Runnable keepState,
            Runnable letGo) {
        this.vertx = vertx;
        this.tasks = tasks;
        this.server = server;
        this.url = url;
        this.link = link;
        this.routines = routines;
        this.keepState = keepState;
        this.letGo = letGo;
    }

    /** @throws PreflightFailure when something is wrong with the settings, or the address cannot be listened on */
    public static WorkspaceAgent start(RuntimeConfig config, WorkspaceConfig workspace) {
        long startedNanos = System.nanoTime();
        var platform = platform(config);
        AgentExecutor executor = AgentKinds.create(config, workspace, platform);
        IntFunction<ObjectNode> cardAt = port -> card(config, About.of(workspace), executor, port);
        var meter = new WorkMeter();
        var snapshot = new AgentSnapshot(config);
        snapshot.restore(executor);
        long memoryShare = Runtime.getRuntime().maxMemory() / 4; // for tasks, and again for bodies on their way in
        var tasks = new Tasks(
                executor,
                meter,
                Clock.systemUTC(),
                memoryShare,
                surroundings(config, workspace),
                TaskJournal.in(config.tasksFolder()));
        Vertx vertx = smallVertx();
        var access = new Access(config.workspaceId(), config.tokens(), platform.callers(), config.callerProof());
        var spans = SpanReports.to(new WorkspaceClient(platform.config()));
        var server = new A2aServer(
                vertx,
                access,
                tasks,
                cardAt,
                workspace.cardForm(),
                new Transcripts(workspace.runtime(), executor),
                spans,
                memoryShare);

        int port = listen(vertx, server, config.host(), config.port().orElse(workspace.a2aPort()));
        ObjectNode card = cardAt.apply(port);
        var link = PlatformLink.open(
                platform,
                config.urlAt(port),
                card,
                Vitals.of(meter, executor),
                secretsOf(config, platform, executor, snapshot),
                config.heartbeatInterval());
        tasks.resume(spans);
        var routines = SelfDirection.begin(config, workspace, platform.config(), link, meter, port);
        Runnable keep =
                () -> snapshot.write(executor, meter.read(), Duration.ofNanos(System.nanoTime() - startedNanos));
        var watch = CardWatch.begin(
                config.configFolder(),
                card,
                () -> card(
                        config, About.read(config.configFolder()).orElseGet(() -> About.of(workspace)), executor, port),
                changed -> {
                    server.showCard(changed);
                    platform.updateCard(changed);
                });
        Runnable letGo = () -> {
            watch.close();
            spans.close();
            executor.close();
        };
        return new WorkspaceAgent(vertx, tasks, server, config.urlAt(port), link, routines, keep, letGo);
    }

    /** Where others reach this agent. */
    public String url() {
        return url;
    }

    /**
     * Keeps what the agent needs to go on later, answers whoever waits, lets go of everything, and returns within {@link #ANSWERS_GRACE}, {@link
     * #REST_GRACE} and {@link #CLOSE_TIMEOUT} together.
     */
    @Override
    public void close() {
        routines.close();
        link.close();
        keepState.run();
        tasks.stop();
        within(ANSWERS_GRACE.plusMillis(100), server.shutdown(ANSWERS_GRACE));
        awaitRest();
        letGo.run();
        within(CLOSE_TIMEOUT, vertx.close());
    }

    private static Surroundings surroundings(RuntimeConfig config, WorkspaceConfig workspace) {
        boolean told = SelfDirection.usesResults(workspace);
        return Surroundings.in(
                config.workspaceFolder(), told ? new ResultsFile(config.delegationResultsFile()) : () -> "");
    }

    private record Transcripts(String runtime, AgentExecutor executor) implements TranscriptSource {

        @Override
        public Transcript read(int since, int limit) {
            return executor.transcript(since, limit);
        }
    }

    private static Optional<SecretsWatch> secretsOf(
            RuntimeConfig config, PlatformClient platform, AgentExecutor executor, AgentSnapshot snapshot) {
        var client = new WorkspaceClient(platform.config());
        return executor.takesOtherValues()
                ? Optional.of(new SecretsWatch(config.environment(), client::followSecrets, environment -> {
                    snapshot.takeOtherValues(environment);
                    executor.takeOtherValues(environment);
                }))
                : Optional.empty();
    }

    private static ObjectNode card(RuntimeConfig config, About about, AgentExecutor executor, int port) {
        var card = AgentCard.create(
                about.name(), about.description(), about.version(), config.urlAt(port), executor.skills());
        if (executor.hasOwnLogin()) {
            AgentCard.withOwnLogin(card);
        }
        return switch (config.callerProof()) {
            case NONE, ELSEWHERE -> card;
            case ANY_TOKEN, PAIR_TOKEN -> AgentCard.withToken(card);
        };
    }

    private static PlatformClient platform(RuntimeConfig config) {
        try {
            var client = ClientConfig.of(config.workspaceId(), config.platformUrl(), config.tokens());
            return new PlatformClient(config.orgId().map(client::withOrgId).orElse(client));
        } catch (IllegalArgumentException e) {
            throw new PreflightFailure(
                    "Environment", "PLATFORM_URL is " + config.platformUrl(), "Set it to an http or https URL.");
        }
    }

    /** Everything here runs on one event loop and on virtual threads; the pools of a big server would only take memory. */
    private static Vertx smallVertx() {
        return Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    }

    private static int listen(Vertx vertx, A2aServer server, String host, int port) {
        try {
            return server.listen(host, port).await(LISTEN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            vertx.close();
            throw new PreflightFailure(
                    "Listening", host + ":" + port + " cannot be used: " + e.getMessage(), "Free it, or set another.");
        }
    }

    private void awaitRest() {
        try {
            tasks.awaitRest(REST_GRACE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void within(Duration timeout, Future<?> done) {
        try {
            done.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            LOGGER.atDebug().setCause(e).log("did not close in time");
        }
    }
}
