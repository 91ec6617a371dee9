package ai.molecule.events.notifications;

import ai.molecule.common.config.Environment;
import ai.molecule.common.db.RepeatedWrites;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.loops.Pruning;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.events.EventsConfig;
import ai.molecule.events.chats.Chats;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** The parts of this folder, put together. */
public final class Notifications {

    private static final Duration CONNECT = Duration.ofSeconds(10);

    private static final Loop.Times ROUND =
            new Loop.Times(Duration.ofSeconds(1), Duration.ofMillis(50), Duration.ofSeconds(12));

    private static final Loop.Times DIGEST = new Loop.Times(Duration.ofSeconds(5), Duration.ofSeconds(12));
    private static final Duration FORGET = Duration.ofMinutes(10);

    /** How long it can be seen what somebody was told. */
    private static final Duration TOLD = Duration.ofDays(7);

    private static final int FORGOTTEN_MAX = 10_000;

    private final SafeDialer dialer;
    private final Loop telling;
    private final List<Loop> loops;
    private final Pruning forgetting;
    private final NotificationRoutes routes;
    private boolean stopped;

    /**
     * @param chats tells who is linked at a messenger
     * @param pause after the first try of a target that did not take what it was told
     */
    public Notifications(
            Vertx vertx,
            ServiceContext service,
            EventsConfig config,
            OrgChartCache charts,
            Chats chats,
            Duration pause,
            Clock clock) {
        var platform = config.platform();
        var rules = AddressRules.forDialling(platform.environment() == Environment.DEVELOPMENT, platform.saas());
        dialer = new SafeDialer(vertx, rules, CONNECT);
        var bus = service.bus();
        var senders = new Senders(new HttpSender(vertx, dialer, clock), new MailSender(vertx, rules), chats, bus);
        var targets = new PgTargetStore(service.database());
        var outbox = new PgNotificationOutbox(service.database());
        var patience = new Patience(pause, Patience.DEFAULT.pauseMax(), Patience.DEFAULT.keep());
        var rounds = new NotificationRounds(
                outbox,
                targets,
                senders,
                charts,
                patience,
                config.publicUrl(),
                clock,
                new RepeatedWrites(vertx, () -> stopped));
        telling = loop(vertx, service, "notifications", "tells people of what waits for them", ROUND, rounds::run);
        var digests = new Digests(outbox, bus, clock);
        loops = List.of(
                telling,
                loop(vertx, service, "notification-digests", "tells people how a day went", DIGEST, digests::run));
        forgetting = new Pruning(
                vertx,
                service.reconcilers().add("notification-forgetting", "forgets what people were told long ago"),
                FORGET,
                FORGOTTEN_MAX,
                max -> outbox.forget(TOLD, max));
        rounds.tell(telling::poke);
        routes = new NotificationRoutes(new NotificationService(targets, senders, rounds, dialer, bus, clock));
    }

    public NotificationRoutes routes() {
        return routes;
    }

    public void start() {
        loops.forEach(Loop::start);
        forgetting.start();
        telling.poke();
    }

    /** Something came into the inbox. */
    public void poke() {
        telling.poke();
    }

    public void stop() {
        stopped = true;
        loops.forEach(Loop::stop);
        forgetting.stop();
    }

    public Future<Void> close() {
        return dialer.close();
    }

    private static Loop loop(
            Vertx vertx,
            ServiceContext service,
            String name,
            String purpose,
            Loop.Times times,
            Supplier<? extends Future<?>> run) {
        return new Loop(vertx, service.reconcilers().add(name, purpose), "PostgreSQL", times, run);
    }
}
