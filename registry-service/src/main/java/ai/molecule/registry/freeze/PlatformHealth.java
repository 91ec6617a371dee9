package ai.molecule.registry.freeze;

import ai.molecule.common.bus.provisioner.EngineHealth;
import ai.molecule.common.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import org.jspecify.annotations.Nullable;

/** Whether what agents live on is well: the engine, as the provisioner says, and Redis where there is one. The database is whom we ask all the time. */
public final class PlatformHealth {

    private PlatformHealth() {}

    /** Fails when one of them does not answer. */
    public static Future<Boolean> check(ServiceContext service) {
        var redis = service.redis().isPresent()
                ? service.redis().send(Request.cmd(Command.PING))
                : Future.<@Nullable Response>succeededFuture();
        return service.bus()
                .call(EngineHealth.CONTRACT, new EngineHealth())
                .compose(engine -> redis.map(pong -> engine.healthy()));
    }
}
