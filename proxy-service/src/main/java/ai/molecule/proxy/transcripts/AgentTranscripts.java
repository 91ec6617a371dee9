package ai.molecule.proxy.transcripts;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Asks agents for the lines of their sessions, at {@code /transcript} of where they listen. To be used on one event loop. */
public record AgentTranscripts(Vertx vertx, Bus bus, SafeDialer dialer) {

    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final int BYTES_MAX = 1024 * 1024;

    /** As the agent gave it. */
    record Answer(int status, Buffer body) {}

    /**
     * Fails with NOT_FOUND for an unknown workspace, UNAVAILABLE where no address is known, and BAD_GATEWAY where nobody answers there within
     * 10 s with at most 1 MiB, or the address is none that may be dialled.
     *
     * @param token the agent's own, as its caller showed it; null where a person asks
     */
    Future<Answer> of(UUID workspace, int since, int limit, @Nullable String token) {
        return bus.call(ResolveRoute.CONTRACT, new ResolveRoute(workspace, null))
                .compose(route -> {
                    if (!route.found() || route.status() == WorkspaceStatus.REMOVED) {
                        throw ApiError.notFound("workspace not found");
                    }
                    if (!route.hasAddress() || route.delivery() == Delivery.POLL || route.quarantined()) {
                        throw ApiError.unavailable("workspace not registered (no URL on file)");
                    }
                    return proof(workspace, token).compose(shown -> ask(workspace, route, since, limit, shown));
                });
    }

    private Future<String> proof(UUID workspace, @Nullable String token) {
        return token == null
                ? bus.call(IssuePairToken.CONTRACT, new IssuePairToken(workspace, null))
                        .map(IssuePairToken.Issued::token)
                : Future.succeededFuture(token);
    }

    private Future<Answer> ask(UUID workspace, Route route, int since, int limit, String shown) {
        String url = URI.create(String.valueOf(route.url()))
                .resolve("/transcript?since=%d&limit=%d".formatted(since, limit))
                .toString();
        return dialer.open(HttpMethod.GET, url, route.provisioned())
                .compose(request -> read(request.putHeader("X-Molecule-Target", workspace.toString())
                        .putHeader(HttpHeaders.AUTHORIZATION, "Bearer " + shown)))
                .recover(failure -> Future.failedFuture(
                        failure instanceof ApiError said
                                ? said
                                : new ApiError(ApiError.Kind.BAD_GATEWAY, "workspace unreachable")));
    }

    private Future<Answer> read(HttpClientRequest request) {
        Promise<Answer> answer = Promise.promise();
        long timer = vertx.setTimer(WAIT.toMillis(), late -> {
            answer.tryFail("no answer within the time the platform waits");
            request.reset();
        });
        request.send().onFailure(answer::tryFail).onSuccess(response -> collect(request, response, answer));
        return answer.future().onComplete(done -> vertx.cancelTimer(timer));
    }

    private static void collect(HttpClientRequest request, HttpClientResponse response, Promise<Answer> answer) {
        var body = Buffer.buffer();
        response.exceptionHandler(answer::tryFail)
                .endHandler(end -> answer.tryComplete(new Answer(response.statusCode(), body)))
                .handler(chunk -> {
                    if (body.length() + chunk.length() > BYTES_MAX) {
                        answer.tryFail(new ApiError(
                                ApiError.Kind.BAD_GATEWAY, "transcript exceeds 1 MiB: ask for fewer lines"));
                        request.reset();
                    } else {
                        body.appendBuffer(chunk);
                    }
                });
    }
}
