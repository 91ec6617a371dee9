package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.config.Env;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The agents' network as it is made, of an engine that only knows networks. */
@ExtendWith(VertxExtension.class)
class JoiningTheNetworkTest {

    private static final String ICC = "com.docker.network.bridge.enable_icc";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temp;

    private final List<JsonObject> made = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @BeforeEach
    void serve(Vertx each) {
        vertx = each;
        vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> answer(request, body)))
                .listen(SocketAddress.domainSocketAddress(socket()))
                .await();
    }

    @Test
    void in_production_containers_in_it_do_not_reach_each_other() {
        network("MOLECULE_ENV", "production").gateway().await();

        assertThat(made.getFirst().getJsonObject("Options").getString(ICC)).isEqualTo("false");
    }

    @Test
    void elsewhere_and_where_the_platform_dials_them_in_it_they_do() {
        network().gateway().await();
        assertThat(made.getFirst().getJsonObject("Options")).isEmpty();

        made.clear();
        network("MOLECULE_ENV", "production", "MOLECULE_DOCKER_DIAL", "network")
                .gateway()
                .await();
        assertThat(made.getFirst().getJsonObject("Options")).isEmpty();
    }

    @Test
    void an_operator_chooses_but_never_cuts_the_platform_off() {
        network("MOLECULE_DOCKER_ICC", "off").gateway().await();
        assertThat(made.getFirst().getJsonObject("Options")).isNotEmpty();

        assertThatThrownBy(() -> network("MOLECULE_DOCKER_ICC", "off", "MOLECULE_DOCKER_DIAL", "network"))
                .hasMessageStartingWith("MOLECULE_DOCKER_ICC=off would keep the platform from agents");
        assertThatThrownBy(() -> network("MOLECULE_DOCKER_ICC", "no"))
                .hasMessage("MOLECULE_DOCKER_ICC must be on or off");
    }

    private AgentNetwork network(String... variables) {
        Map<String, String> env = new HashMap<>(Map.of("DOCKER_HOST", "unix://" + socket()));
        for (int i = 0; i < variables.length; i += 2) {
            env.put(variables[i], variables[i + 1]);
        }
        var settings = DockerSettings.fromEnv(new Env(env));
        return new AgentNetwork(new Engine(vertx, settings.socket()), settings);
    }

    private String socket() {
        return temp.resolve("engine.sock").toString();
    }

    private void answer(HttpServerRequest request, Buffer body) {
        var response = request.response();
        if (request.path().endsWith("/_ping")) {
            response.end("OK");
        } else if (request.method() == HttpMethod.POST) {
            made.add(body.toJsonObject());
            response.setStatusCode(201).end("{}");
        } else if (made.isEmpty()) {
            response.setStatusCode(404).end("{}");
        } else {
            response.end(made.getFirst().toBuffer());
        }
    }
}
