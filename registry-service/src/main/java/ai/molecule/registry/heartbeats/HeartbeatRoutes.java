package ai.molecule.registry.heartbeats;

import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;

/** {@code /registry/heartbeat}. */
public record HeartbeatRoutes(HeartbeatService heartbeats) {

    /** {@code {"status":"ok"}} once it is committed. */
    public void beat(RoutingContext ctx) {
        var heartbeat = Heartbeat.of(JsonBody.of(ctx, "invalid request body"));
        AgentsEntrance.actsFor(ctx.request(), heartbeat.workspaceId());
        var committed = heartbeats.beat(heartbeat, Bearer.of(ctx.request()));
        Answers.json(ctx, committed.map(done -> Json.object().put("status", "ok")));
    }
}
