package ai.molecule.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.hints.ActivityArrived;
import ai.molecule.common.bus.hints.ApprovalsChanged;
import ai.molecule.common.bus.hints.CapacityWanted;
import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.bus.hints.StreamsAdvanced;
import ai.molecule.common.bus.provisioner.IsRunning;
import ai.molecule.common.bus.proxy.SendAsSystem;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.common.bus.registry.UnmeteredWorkspaces;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.events.LiveEvents;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.proxy.a2a.A2a;
import ai.molecule.proxy.a2a.calls.A2aLimits;
import ai.molecule.proxy.activity.ActivityLimits;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.delegations.DelegationRoutes;
import ai.molecule.proxy.delegations.DelegationService;
import ai.molecule.proxy.delegations.PgDelegationLog;
import ai.molecule.proxy.delegations.PgDelegationStore;
import ai.molecule.proxy.frontdoor.AgentsDoor;
import ai.molecule.proxy.frontdoor.FrontDoor;
import ai.molecule.proxy.frontdoor.previews.Previews;
import ai.molecule.proxy.known.KnownTasks;
import ai.molecule.proxy.models.Models;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.push.Push;
import ai.molecule.proxy.push.PushLimits;
import ai.molecule.proxy.queue.PgQueueEntries;
import ai.molecule.proxy.queue.PgQueueStore;
import ai.molecule.proxy.queue.QueueLimits;
import ai.molecule.proxy.queue.QueueRoutes;
import ai.molecule.proxy.queue.QueueService;
import ai.molecule.proxy.schedules.ScheduleLimits;
import ai.molecule.proxy.schedules.Schedules;
import ai.molecule.proxy.spending.PgSpending;
import ai.molecule.proxy.spending.SpendingRoutes;
import ai.molecule.proxy.streams.JournalLimits;
import ai.molecule.proxy.streams.PgStreamStore;
import ai.molecule.proxy.streams.Streams;
import ai.molecule.proxy.tasks.TaskLog;
import ai.molecule.proxy.tasks.TaskRoutes;
import ai.molecule.proxy.traces.AgentSpanRoutes;
import ai.molecule.proxy.transcripts.AgentTranscripts;
import ai.molecule.proxy.transcripts.TranscriptRoutes;
import ai.molecule.proxy.waiting.PgReleasedCalls;
import ai.molecule.proxy.waiting.PgWaitStore;
import ai.molecule.proxy.waiting.TaskWaits;
import ai.molecule.proxy.webhooks.IncomingWebhooks;
import ai.molecule.proxy.webhooks.PgWebhooks;
import ai.molecule.proxy.webhooks.WebhookRoutes;
import ai.molecule.proxy.work.PgWorks;
import ai.molecule.proxy.work.WorkRoutes;
import ai.molecule.proxy.work.Works;
import ai.molecule.testkit.Documents;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code docs/wire/proxy.md} names exactly the routes, guards and contracts that there are. */
@ExtendWith(VertxExtension.class)
class DescribingTheProxyTest {

    private static final Pattern ROUTE = Pattern.compile("^\\| `([A-Z]+ /[^`]*)` \\| ([A-Z_]+) \\|", Pattern.MULTILINE);

    @Test
    void every_route_is_described_with_its_guard_and_no_other(Vertx vertx) throws IOException {
        var config = ProxyConfig.fromEnv(TestConfig.env());
        var service = ServiceContext.open(vertx, config.platform(), "proxy").await();
        var guards = new Guards(config.platform(), new BusCredentials(service.bus()));
        var dialer = new SafeDialer(vertx, new AddressRules(true, true), Duration.ofSeconds(1));
        var log = new ActivityLog(service.bus(), Clock.systemUTC());
        var activity = new ActivityWriter(
                vertx,
                log,
                said -> log.append(service.pool(), said),
                ActivityLimits.DEFAULT,
                service.reconcilers().add("activity-rows", "writes"),
                service.meters());
        var ids = new RowIds(Clock.systemUTC(), RandomGenerator.getDefault());
        var streams = new Streams(
                vertx,
                service.bus(),
                new PgStreamStore(service.database()),
                A2aLimits.DEFAULT.relay(),
                JournalLimits.DEFAULT,
                UUID.randomUUID(),
                service.reconcilers().add("stream-journal", "writes"),
                service.meters());
        var admission = new PgQueueEntries(ids, QueueLimits.DEFAULT);
        var waiting = new PgQueueStore(service.database(), admission, log);
        var tasks = new TaskLog(service, UUID.randomUUID(), Duration.ofDays(90));
        var given = new DelegationService(
                new PgDelegationStore(new PgDelegationLog(service.database(), log), admission, ids),
                new PassportBook(service.bus()),
                tasks::settle,
                UUID::randomUUID,
                Duration.ofMinutes(30));
        var queue = new QueueService(waiting, service.bus(), Duration.ofDays(1));
        var open = new CredentialWatch<Object>(vertx, service.bus(), Duration.ofSeconds(30));
        var messages = A2a.of(
                service,
                guards,
                open,
                dialer,
                activity,
                given,
                queue,
                new TaskWaits(new PgWaitStore(service.database()), new PgReleasedCalls(service.database())),
                tasks,
                new KnownTasks(service),
                new Push(service, guards, dialer, PushLimits.DEFAULT).service(),
                streams,
                ids,
                A2aLimits.DEFAULT);
        var works = new Works(new PgWorks(service.database(), admission), tasks, service.bus());
        var charts = new OrgChartCache(service.bus());
        var page = ProxyRouter.page(
                service,
                guards,
                open,
                messages,
                new DelegationRoutes(given, guards),
                new QueueRoutes(queue),
                new TaskRoutes(tasks),
                new TranscriptRoutes(new AgentTranscripts(vertx, service.bus(), dialer)),
                new Schedules(service, messages, admission, ids, store -> store, ScheduleLimits.DEFAULT).routes(charts),
                new WorkRoutes(works, guards, charts),
                new WebhookRoutes(
                        new IncomingWebhooks(
                                new PgWebhooks(service.database()), works, service.bus(), Clock.systemUTC()),
                        guards,
                        charts),
                new AgentSpanRoutes(guards, Tracing.OFF),
                new AgentsDoor(config.platform(), guards.credentials()),
                new FrontDoor(vertx, config.platform(), config.owners(), service.reconcilers()),
                Models.of(
                        service,
                        guards,
                        open,
                        charts,
                        dialer,
                        tasks,
                        new PgSpending(service.database()),
                        config.models()),
                new SpendingRoutes(new PgSpending(service.database())),
                Previews.of(service, guards, open, null).routes(),
                config);

        List<String> served = page.entries().stream()
                .map(entry -> entry.method() + " " + entry.path() + " " + entry.guard())
                .toList();
        List<String> described = ROUTE.matcher(document())
                .results()
                .map(row -> row.group(1) + " " + row.group(2))
                .toList();

        assertThat(described).containsExactlyInAnyOrderElementsOf(served);
        assertThat(page.entries())
                .allSatisfy(
                        entry -> assertThat(RoutingTable.ownerOf(entry.path())).contains(Owner.PROXY));
    }

    @Test
    void every_contract_is_described() throws IOException {
        assertThat(document())
                .contains(
                        "`" + ResolveRoute.CONTRACT.address() + "`",
                        "`" + IssuePairToken.CONTRACT.address() + "`",
                        "`" + VerifyToken.CONTRACT.address() + "`",
                        "`" + TaskApprovals.CONTRACT.address() + "`",
                        "`" + ApprovalsChanged.HINT.address() + "`",
                        "`" + TouchOutbound.CONTRACT.address() + "`",
                        "`" + ActivityArrived.HINT.address() + "`",
                        "`" + SendAsSystem.CONTRACT.address() + "`",
                        "`" + BudgetOf.CONTRACT.address() + "`",
                        "`" + UnmeteredWorkspaces.CONTRACT.address() + "`",
                        "`" + SecretsFor.CONTRACT.address() + "`",
                        "`" + GlobalSecretNames.CONTRACT.address() + "`",
                        "`" + IsRunning.CONTRACT.address() + "`",
                        "`" + CapacityWanted.HINT.address() + "`",
                        "`" + DrainQueue.HINT.address() + "`",
                        "`" + LiveEvents.HINT.address() + "`",
                        "`" + StreamsAdvanced.HINT.address() + "`");
    }

    private static String document() throws IOException {
        return Files.readString(Documents.WIRE_PROXY);
    }
}
