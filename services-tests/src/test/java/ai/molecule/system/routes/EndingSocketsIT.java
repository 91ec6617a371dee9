package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.routing.Owner;
import ai.molecule.system.routes.FourServices.Mode;
import ai.molecule.testkit.Kept;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocketConnectOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Sockets of people: who looks may open one, and it lasts as long as what it was opened with. */
class EndingSocketsIT {

    @Test
    void a_socket_ends_with_the_session_and_with_the_role_that_opened_it() {
        var vertx = Vertx.vertx();
        try (var services = FourServices.start(Mode.PRODUCTION)) {
            var people = services.newTarget().people();
            var viewers = open(vertx, services, people.viewer());
            var operators = open(vertx, services, people.operator());

            var signedOut = Answer.to(
                    services.port(Owner.PROXY),
                    Request.of("DELETE", "/session").with(Credential.page(people.viewer())));
            assertThat(signedOut.status()).isEqualTo(200);
            assertThat(viewers.await(1, TimeUnit.MINUTES)).isTrue();

            String operator =
                    services.ask(200, Request.of("GET", "/people")).json().path("people").findParents("login").stream()
                            .filter(person -> person.path("login").asText().equals("operator"))
                            .map(person -> person.path("id").asText())
                            .findFirst()
                            .orElseThrow();
            services.ask(200, Request.of("PATCH", "/people/" + operator).body("{\"roles\":[]}"));
            assertThat(operators.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (TimeoutException late) {
            throw new AssertionError("the socket stayed open", late);
        } finally {
            vertx.close().await();
        }
    }

    /** Completes when it is closed. */
    private static Future<Boolean> open(Vertx vertx, FourServices services, String session) {
        Promise<Boolean> closed = Promise.promise();
        String[] halves = session.split("\\.", 2);
        Kept.kept(vertx.createWebSocketClient())
                .connect(new WebSocketConnectOptions()
                        .setHost("127.0.0.1")
                        .setPort(services.port(Owner.PROXY))
                        .setURI("/ws")
                        .addHeader("Cookie", "molecule_session=" + halves[0])
                        .addHeader("X-Molecule-CSRF", halves[1]))
                .await()
                .closeHandler(over -> closed.complete(true));
        return closed.future();
    }
}
