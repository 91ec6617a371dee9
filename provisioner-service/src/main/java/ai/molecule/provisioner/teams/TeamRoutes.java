package ai.molecule.provisioner.teams;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** The HTTP face of {@link TeamService}. */
public record TeamRoutes(TeamService teams, boolean production) {

    /** 200 when the team is created; 400 without a config or a team in it; 403 to an agent in production; 404 unknown; 409 too many. */
    public void expand(RoutingContext ctx) {
        if (production && Caller.of(ctx).kind() == Caller.Kind.WORKSPACE) {
            throw ApiError.forbidden("an agent does not expand itself in production");
        }
        Answers.json(ctx, teams.expand(PathIds.workspace(ctx)).map(TeamRoutes::expanded));
    }

    /** 200 when it is removed and stopped; 403 for an agent, or somebody of a branch, where the organisation quarantined one of it; 404 unknown. */
    public void collapse(RoutingContext ctx) {
        boolean ofBranch = !Caller.of(ctx).rulesTheOrganisation();
        Answers.json(ctx, teams.collapse(PathIds.workspace(ctx), ofBranch).map(TeamRoutes::collapsed));
    }

    private static ObjectNode expanded(List<Item> team) {
        var answer = Json.object().put("status", "expanded");
        var children = answer.putArray("children");
        team.forEach(child -> children.addObject()
                .put("id", child.id().toString())
                .put("name", child.name())
                .put("role", child.role()));
        return answer;
    }

    private static ObjectNode collapsed(List<String> names) {
        var answer = Json.object().put("status", "collapsed");
        names.forEach(answer.putArray("removed")::add);
        return answer;
    }
}
