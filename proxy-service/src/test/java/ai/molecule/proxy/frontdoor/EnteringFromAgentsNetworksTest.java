package ai.molecule.proxy.frontdoor;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.http.ErrorResponses;
import ai.molecule.common.testing.TestConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** In development, where a user of this machine needs no token, an agent in a container does. */
@ExtendWith(VertxExtension.class)
class EnteringFromAgentsNetworksTest {

    private static final UUID AGENT = UUID.randomUUID();
    private static final String HASH = Base64.getEncoder().encodeToString(Tokens.hash("agents-token"));

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    private int port;

    @BeforeEach
    void open(Vertx vertx) {
        String organisations = Credentials.hashOf("an-organisations");
        Credentials credentials = question -> Future.succeededFuture(
                HASH.equals(question.tokenHash())
                        ? new Verdict(Holder.WORKSPACE, AGENT, 1, Standing.ADMITTED, null, true, true)
                        : organisations.equals(question.tokenHash())
                                ? new Verdict(
                                        Holder.ORGANISATION, null, null, Standing.ADMITTED, "an-organ", true, true)
                                : new Verdict(Holder.NOBODY, null, null, Standing.ADMITTED, null, true, false));
        var router = Router.router(vertx);
        router.route()
                .failureHandler(new ErrorResponses())
                .handler(new AgentsDoor(TestConfig.platform("MOLECULE_ENV", "development"), credentials))
                .handler(ctx -> ctx.request()
                        .body()
                        .onSuccess(body -> ctx.end("marked=%s as=%s body=%s"
                                .formatted(
                                        AgentsEntrance.took(ctx.request()),
                                        ctx.request().headers().getAll("X-Workspace-ID"),
                                        body))));
        port = vertx.createHttpServer()
                .requestHandler(AgentsDoor.before(router))
                .listen(0, "127.0.0.1")
                .await()
                .actualPort();
        client = WebClient.create(vertx);
    }

    @Test
    void a_live_token_passes_with_its_body_and_is_marked() {
        var answer = send("/registry/register", "Authorization", "Bearer agents-token");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.bodyAsString()).isEqualTo("marked=true as=[%s] body=the body".formatted(AGENT));
    }

    @Test
    void an_agent_speaks_for_itself_and_neither_as_the_canvas_nor_as_another() {
        String target = "/workspaces/" + UUID.randomUUID() + "/a2a";
        for (String itself : new String[] {AGENT.toString(), AGENT.toString().toUpperCase(Locale.ROOT), " "}) {
            assertThat(as(itself, target).bodyAsString()).containsIgnoringCase("as=[%s]".formatted(AGENT));
        }
        for (String other : new String[] {UUID.randomUUID().toString(), "system:cron"}) {
            assertThat(as(other, target).statusCode()).isEqualTo(401);
        }
    }

    @Test
    void nobody_passes_without_a_live_token() {
        for (String bearer : new String[] {"", "Bearer ", "Bearer other", "Basic agents-token"}) {
            var answer = send("/workspaces", "Authorization", bearer);

            assertThat(answer.statusCode()).isEqualTo(401);
            assertThat(answer.bodyAsString()).isEqualTo("{\"error\":\"missing workspace auth token\"}");
        }
    }

    @Test
    void an_agent_listens_as_itself_and_not_as_a_canvas() {
        assertThat(send("/ws", "Authorization", "Bearer agents-token").bodyAsString())
                .contains("as=[%s]".formatted(AGENT));
        assertThat(send("/ws", "Authorization", "Bearer an-organisations").statusCode())
                .isEqualTo(401);
    }

    @Test
    void one_name_beside_its_own_is_one_too_many() {
        var answer = client.request(HttpMethod.POST, port, "127.0.0.1", "/workspaces")
                .putHeader("Authorization", "Bearer agents-token")
                .putHeader(
                        "X-Workspace-ID",
                        List.of(AGENT.toString(), UUID.randomUUID().toString()))
                .sendBuffer(Buffer.buffer("{}"))
                .await();

        assertThat(answer.statusCode()).isEqualTo(401);
    }

    private HttpResponse<Buffer> as(String workspace, String path) {
        return client.request(HttpMethod.POST, port, "127.0.0.1", path)
                .putHeader("Authorization", "Bearer agents-token")
                .putHeader("X-Workspace-ID", workspace)
                .sendBuffer(Buffer.buffer("{}"))
                .await();
    }

    private HttpResponse<Buffer> send(String path, String header, String value) {
        return client.request(HttpMethod.POST, port, "127.0.0.1", path)
                .putHeader(header, value)
                .sendBuffer(Buffer.buffer("the body"))
                .await();
    }
}
