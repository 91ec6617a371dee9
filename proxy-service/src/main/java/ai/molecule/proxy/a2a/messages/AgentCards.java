package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.json.Json;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.a2a.admission.Admission.Admitted;
import ai.molecule.proxy.protocol.Protocol;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * In which version of the protocol an agent is spoken to: the caller's where the agent has it. Whether it offers 1.0 its card says, which is
 * asked of the agent itself, only when somebody speaks 1.0 to it, and believed for 30 s; that it offers nothing else, the registry knows of
 * what it registered. To be used on one event loop.
 */
public final class AgentCards {

    private static final String PATH = "/.well-known/agent-card.json";
    private static final Duration WAIT = Duration.ofSeconds(2);
    private static final Duration AGE_MAX = Duration.ofSeconds(30);
    private static final String RPC = "JSONRPC";
    private static final int CARD_MAX_BYTES = 256 * 1024;
    private static final int CARDS_MAX = 1_000;

    private final Vertx vertx;
    private final SafeDialer dialer;
    private final BriefCache<String, Boolean> offering = new BriefCache<>(AGE_MAX, CARDS_MAX);

    public AgentCards(Vertx vertx, SafeDialer dialer) {
        this.vertx = vertx;
        this.dialer = dialer;
    }

    /** For a request in the caller's version. An agent that fetches its messages gets them as they are. */
    Future<Protocol> versionFor(Admitted admitted, Protocol caller) {
        Route route = admitted.route();
        if (route.delivery() == Delivery.POLL) {
            return Future.succeededFuture(caller);
        }
        if (route.only10() || caller == Protocol.V0_3) {
            return Future.succeededFuture(route.only10() ? Protocol.V1_0 : Protocol.V0_3);
        }
        return offers10(admitted.target(), route)
                .map(offered -> offered ? Protocol.V1_0 : Protocol.V0_3)
                .recover(gone -> Future.failedFuture(
                        new ApiError(ApiError.Kind.BAD_GATEWAY, "failed to reach workspace agent")));
    }

    /** Fails when nobody answers within 2 s; an answer that is no card offers nothing. */
    private Future<Boolean> offers10(UUID target, Route route) {
        return offering.get(
                String.valueOf(route.url()),
                url -> dialer.open(HttpMethod.GET, URI.create(url).resolve(PATH).toString(), route.provisioned())
                        .compose(request -> read(request.putHeader("X-Molecule-Target", target.toString())))
                        .map(card -> card != null && offers10(card)));
    }

    private Future<@Nullable Buffer> read(HttpClientRequest request) {
        Promise<@Nullable Buffer> card = Promise.promise();
        long timer = vertx.setTimer(WAIT.toMillis(), late -> {
            card.tryFail("no card within the time the platform waits");
            request.reset();
        });
        request.send().onFailure(card::tryFail).onSuccess(response -> collect(request, response, card));
        return card.future().onComplete(done -> vertx.cancelTimer(timer));
    }

    private static void collect(
            HttpClientRequest request, HttpClientResponse response, Promise<@Nullable Buffer> card) {
        var body = Buffer.buffer();
        response.exceptionHandler(card::tryFail)
                .endHandler(end -> card.tryComplete(response.statusCode() == 200 ? body : null))
                .handler(chunk -> {
                    if (body.length() + chunk.length() > CARD_MAX_BYTES) {
                        card.tryComplete(null);
                        request.reset();
                    } else {
                        body.appendBuffer(chunk);
                    }
                });
    }

    private static boolean offers10(Buffer body) {
        try {
            JsonNode card = Json.parse(body.getBytes());
            for (var offered : card.path("supportedInterfaces")) {
                if (is10(offered) && offered.path("protocolBinding").asText(RPC).equals(RPC)) {
                    return true;
                }
            }
            return is10(card);
        } catch (IOException noJson) {
            return false;
        }
    }

    private static boolean is10(JsonNode offer) {
        String version = offer.path("protocolVersion").asText("");
        return version.equals("1.0") || version.startsWith("1.0.");
    }
}
