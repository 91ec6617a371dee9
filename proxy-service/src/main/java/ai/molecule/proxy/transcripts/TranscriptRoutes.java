package ai.molecule.proxy.transcripts;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** {@code /workspaces/:id/transcript}. */
public record TranscriptRoutes(AgentTranscripts transcripts) {

    private static final int LIMIT_DEFAULT = 100;

    /** {@code ?since=0&limit=100}: what the agent answers, with its status. */
    public void show(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        int since = number(ctx, "since", 0);
        int limit = number(ctx, "limit", LIMIT_DEFAULT);
        transcripts
                .of(id, since, limit, ownToken(ctx))
                .onSuccess(answer -> Answers.bytes(ctx, answer.status(), answer.body()))
                .onFailure(ctx::fail);
    }

    /** Null for a person: then the agent is told that the platform asks. */
    private static @Nullable String ownToken(RoutingContext ctx) {
        return Caller.of(ctx).kind() == Caller.Kind.WORKSPACE ? Bearer.of(ctx.request()) : null;
    }

    private static int number(RoutingContext ctx, String name, int otherwise) {
        String said = ctx.request().getParam(name);
        if (said == null) {
            return otherwise;
        }
        if (!said.matches("\\d{1,9}")) {
            throw ApiError.invalid("since and limit must be integers");
        }
        return Integer.parseInt(said);
    }
}
