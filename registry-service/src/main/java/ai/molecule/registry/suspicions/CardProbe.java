package ai.molecule.registry.suspicions;

import ai.molecule.common.net.SafeDialer;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Asks an agent of ours for a sign of life, its card. Any answer is one, but the refusal of another agent that got hold of the port. */
public record CardProbe(SafeDialer dialer) {

    private static final String CARD = "/.well-known/agent-card.json";
    private static final int MISDIRECTED = 421;

    /** Whether the agent of this workspace answered within the bound of a probe. Never fails. */
    public Future<Boolean> answers(UUID workspaceId, String url) {
        var opening = dialer.open(HttpMethod.GET, URI.create(url).resolve(CARD).toString(), true);
        return opening.compose(request -> ask(request, workspaceId))
                .timeout(Suspicion.PROBE_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(silent -> opening.onSuccess(HttpClientRequest::reset))
                .map(status -> status != MISDIRECTED)
                .otherwise(false);
    }

    private static Future<Integer> ask(HttpClientRequest request, UUID workspaceId) {
        return request.putHeader("X-Molecule-Target", workspaceId.toString())
                .send()
                .map(CardProbe::statusOf);
    }

    /** The body is not needed, and a long one is not worth reading. */
    private static int statusOf(HttpClientResponse response) {
        response.exceptionHandler(cut -> {}).request().reset();
        return response.statusCode();
    }
}
