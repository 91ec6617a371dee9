package ai.molecule.registry.registrations;

import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/** {@code /registry/register} and {@code /registry/update-card}. */
public record RegistrationRoutes(RegistrationService registrations, Acting acting) {

    private static final String COMPLAINT = "invalid request body";

    /** {@code {"status":"registered"}}, with {@code auth_token} when the workspace had no live token. */
    public void register(RoutingContext ctx) {
        var registration = Registration.of(JsonBody.of(ctx, COMPLAINT));
        AgentsEntrance.actsFor(ctx.request(), registration.workspaceId());
        acting.asRegistering(ctx, registration.workspaceId());
        var outcome = registrations.register(registration, Bearer.of(ctx.request()));
        Answers.json(ctx, outcome.map(RegistrationRoutes::registered));
    }

    /** {@code {"workspace_id", "agent_card"}} → {@code {"status":"updated"}}, also for an unknown workspace. */
    public void updateCard(RoutingContext ctx) {
        var body = JsonBody.of(ctx, COMPLAINT);
        var id = Ids.find(body.requiredText("workspace_id")).orElseThrow(body::bad);
        AgentsEntrance.actsFor(ctx.request(), id);
        String card = Registration.cardOf(body);
        var outcome = registrations.updateCard(id, card, Bearer.of(ctx.request()));
        Answers.json(ctx, outcome.map(done -> Json.object().put("status", "updated")));
    }

    private static ObjectNode registered(Optional<String> token) {
        var body = Json.object();
        token.ifPresent(issued -> body.put("auth_token", issued));
        return body.put("status", "registered");
    }
}
