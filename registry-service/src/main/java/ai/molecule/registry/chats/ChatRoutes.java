package ai.molecule.registry.chats;

import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.people.PeopleRoutes;
import ai.molecule.registry.people.PeopleRoutes.WantedToken;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /people/me/chats}. */
public record ChatRoutes(ChatService chats, Guards guards) {

    private static final String COMPLAINT = "invalid request body";

    /** {@code {["role"][, "branch"][, "days"]}} → 201 {@code {"code", "expires_at"}}, in place of one that was not used. */
    public void code(RoutingContext ctx) {
        var person = PeopleRoutes.atThePage(ctx);
        var wanted = WantedToken.of(JsonBody.of(ctx, COMPLAINT), "chat");
        ctx.response().putHeader("Cache-Control", "no-store");
        Answers.json(
                ctx,
                201,
                wanted.within(guards, Bearer.of(ctx.request()))
                        .compose(may -> chats.code(person.id(), wanted.role(), wanted.branch(), wanted.life()))
                        .map(made ->
                                Json.object().put("code", made.code()).put("expires_at", Json.time(made.expiresAt()))));
    }
}
