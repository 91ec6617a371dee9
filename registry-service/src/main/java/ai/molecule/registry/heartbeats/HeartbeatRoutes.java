package ai.molecule.registry.heartbeats;

import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;

/** {@code /registry/heartbeat}. */
public record HeartbeatRoutes(HeartbeatService heartbeats) {

    /** {@code {"status":"ok", "time", "branch_version", "keys_version", "secrets_version"}} once it is committed; the time in milliseconds. */
    public void beat(RoutingContext ctx) {
        var heartbeat = Heartbeat.of(JsonBody.of(ctx, "invalid request body"));
        AgentsEntrance.actsFor(ctx.request(), heartbeat.workspaceId());
        var committed = heartbeats.beat(heartbeat, Bearer.of(ctx.request()));
        Answers.json(
                ctx,
                committed.map(heard -> Json.object()
                        .put("status", "ok")
                        .put("time", heard.at().toEpochMilli())
                        .put("branch_version", heard.branchVersion())
                        .put("keys_version", heard.keysVersion())
                        .put("secrets_version", heard.secretsVersion())));
    }
}
