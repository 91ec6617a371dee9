package ai.molecule.proxy.push;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.registry.SignNotification;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.loops.Pruning;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.leases.LeaseRunner;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The parts of this folder, put together. */
public final class Push {

    private static final int FORGOTTEN_MAX = 1_000;
    private static final int SEALED_MAX = 200;
    private static final Duration FORGET = Duration.ofMinutes(10);
    private static final Loop.Times SEALING = new Loop.Times(Duration.ofMinutes(10), Duration.ofSeconds(10));

    private final ServiceContext service;
    private final PushLimits limits;
    private final PgPushConfigs configs;
    private final PgPushSecrets secrets;
    private final PushService routes;
    private final LeaseRunner<PushNotice> deliveries;
    private final Pruning forgetting;
    private final Loop sealing;
    private @Nullable LeaseRunner<WatchedTask> looks;

    public Push(ServiceContext service, Guards guards, SafeDialer dialer, PushLimits limits) {
        this.service = service;
        this.limits = limits;
        this.configs = new PgPushConfigs(service.database());
        this.secrets = new PgPushSecrets(service.bus(), service.database());
        this.routes = new PushService(configs, secrets, dialer, limits, this::look);
        var outbox = new PgPushOutbox(service.database());
        var delivery = new PushDelivery(
                service.vertx(), outbox, secrets, dialer, this::sign, guards::looksByHash, limits, service.meters());
        this.deliveries = new LeaseRunner<>(
                service.vertx(),
                outbox,
                delivery,
                limits.deliveries(),
                service.reconcilers(),
                "push",
                "tells receivers how tasks go on");
        delivery.tell(deliveries::poke);
        this.forgetting = new Pruning(
                service.vertx(),
                service.reconcilers().add("push-pruning", "forgets receivers of tasks that changed long ago"),
                FORGET,
                FORGOTTEN_MAX,
                max -> configs.forget(limits.keep(), max));
        this.sealing = new Loop(
                service.vertx(),
                service.reconcilers().add("push-sealing", "seals what receivers are shown, with the present key"),
                "the registry",
                SEALING,
                () -> secrets.sealOthers(SEALED_MAX));
    }

    public PushService service() {
        return routes;
    }

    /** @param agents asked how the tasks stand that somebody wants to be told of */
    public void start(TaskSource agents) {
        looks = new LeaseRunner<>(
                service.vertx(),
                new PgPushTasks(service.database()),
                new TaskLooks(new PgPushTasks(service.database()), agents, limits, deliveries::poke),
                limits.looks(),
                service.reconcilers(),
                "push-looks",
                "looks how tasks stand that somebody wants to be told of");
        looks.start();
        deliveries.start();
        forgetting.start();
        sealing.start().poke(); // rows of a release before wait for no period
    }

    public Future<?> stop() {
        var looking = looks;
        return Future.join(
                looking == null ? Future.succeededFuture() : looking.stop(),
                deliveries.stop(),
                forgetting.stop(),
                sealing.stop());
    }

    private void look() {
        if (looks != null) {
            looks.poke();
        }
    }

    private Future<String> sign(String audience, UUID workspace, Buffer body) {
        return service.bus()
                .call(
                        SignNotification.CONTRACT,
                        new SignNotification(workspace, audience, TaskDigest.of(body.getBytes())))
                .map(SignNotification.Signed::token);
    }
}
