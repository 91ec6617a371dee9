package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.testkit.Kept;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.WebClient;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code POST /registry/register} and {@code /registry/update-card}. */
class RegisteringAgentsTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    private static final String URL = "http://localhost:8001";
    private static final String CARD = "{\"name\":\"Dev Agent v2\",\"n\":1.10}";

    @Test
    void the_first_registration_brings_the_workspace_online_and_gets_a_token() {
        String id = registry.create("Dev");

        var answer = registry.register(id, URL, CARD, null);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo("{\"auth_token\":\"%s\",\"status\":\"registered\"}".formatted(answer.text("auth_token")));
        assertThat(registry.get("/workspaces/" + id, null).body())
                .contains("\"status\":\"online\"", "\"url\":\"" + URL + "\"", "\"name\":\"Dev Agent v2\"", "1.10");
        assertThat(registry.events(id).getLast())
                .isEqualTo(
                        "WORKSPACE_ONLINE {\"url\":\"%s\",\"name\":\"Dev\",\"role\":null,\"status\":\"online\",\"parent_id\":null,"
                                        .formatted(URL)
                                + "\"agent_card\":{\"n\":1.10,\"name\":\"Dev Agent v2\"}}");
    }

    @Test
    void an_unknown_id_becomes_a_workspace_of_that_name() {
        String id = UUID.randomUUID().toString();

        registry.register(id, URL, "{}", null);

        assertThat(registry.see(id).path("name").asText()).isEqualTo(id);
        assertThat(registry.see(id).path("tier").asInt()).isEqualTo(1);
        assertThat(registry.eventTypes(id)).containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_ONLINE");
        assertThat(registry.events(id).getFirst()).contains("\"name\":\"%s\"".formatted(id), "\"tier\":1");
    }

    @Test
    void without_its_token_a_registration_that_changes_nothing_is_answered_and_one_that_does_is_refused() {
        String id = registry.create("Dev");
        registry.register(id, URL, CARD, null);
        int events = registry.events(id).size();

        assertThat(registry.register(id, URL, "{\"n\":1.1,\"name\":\"Dev Agent v2\"}", null))
                .hasToString("200 {\"status\":\"registered\"}");
        assertThat(registry.register(id, URL, "{\"name\":\"other\"}", null))
                .hasToString("401 {\"error\":\"missing workspace auth token\"}");
        assertThat(registry.register(id, "http://localhost:9", CARD, null).status())
                .isEqualTo(401);
        assertThat(registry.register(id, URL, CARD, "garbage"))
                .hasToString("401 {\"error\":\"invalid workspace auth token\"}");
        assertThat(registry.events(id)).hasSize(events);
    }

    @Test
    void with_its_token_it_registers_again_gets_no_second_one_and_is_announced_again() {
        String id = registry.create("Dev");
        String token = registry.register(id, URL, CARD, null).text("auth_token");

        var again = registry.register(id, "http://localhost:8002", CARD, token);

        assertThat(again).hasToString("200 {\"status\":\"registered\"}");
        assertThat(registry.see(id).path("url").asText()).isEqualTo("http://localhost:8002");
        assertThat(registry.eventTypes(id))
                .containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_ONLINE", "WORKSPACE_ONLINE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:8000",
                "http://169.254.169.254/latest",
                "http://10.0.0.1",
                "http://192.168.1.1",
                "http://[::1]:80",
                "http://[::ffff:127.0.0.1]",
                "http://0.0.0.0",
                "http://name-that-does-not-resolve.invalid"
            })
    void an_address_inside_is_refused_before_the_token_is_looked_at(String url) {
        String id = registry.create("Dev");
        registry.token(id);

        assertThat(registry.register(id, url, CARD, null))
                .hasToString(
                        "400 {\"error\":\"url is not at a public address; private networks are opened by MOLECULE_AGENT_NETWORKS\"}");
        assertThat(registry.see(id).path("url").asText()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://2130706433", "ftp://example.com", "http://", "not a url"})
    void what_is_no_address_is_refused(String url) {
        String id = registry.create("Dev");

        assertThat(registry.register(id, url, CARD, null)).hasToString("400 {\"error\":\"invalid request body\"}");
    }

    @Test
    void an_agent_that_takes_no_calls_registers_without_an_address() {
        String id = registry.create("Sdk", "\"external\":true", "\"url\":\"remote://no-inbound\"");

        assertThat(registry.register(id, "remote://no-inbound", CARD, null).status())
                .isEqualTo(200);
        assertThat(registry.see(id).path("url").asText()).isEqualTo("remote://no-inbound");
    }

    @Test
    void one_that_says_it_polls_need_not_name_an_address() {
        String id = UUID.randomUUID().toString();
        String body = "{\"id\":\"%s\",\"url\":\"\",\"agent_card\":{}%s}";

        assertThat(registry.post("/registry/register", body.formatted(id, ""), null))
                .hasToString("400 {\"error\":\"invalid request body\"}");
        assertThat(registry.post("/registry/register", body.formatted(id, ",\"delivery_mode\":\"poll\""), null)
                        .status())
                .isEqualTo(200);
        assertThat(registry.see(id).path("url").asText()).isEqualTo("remote://no-inbound");
    }

    @Test
    void the_endpoint_the_provisioner_recorded_stays() {
        String id = registry.create("Ours");
        registry.bus
                .call(
                        RecordEndpoint.CONTRACT,
                        new RecordEndpoint(UUID.fromString(id), 1, "http://127.0.0.1:7001", "http://127.0.0.1:7001"))
                .await();

        var answer = registry.register(id, "http://0.0.0.0:1", CARD, null);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(registry.see(id).path("url").asText()).isEqualTo("http://127.0.0.1:7001");
    }

    @Test
    void an_agent_of_ours_may_register_before_its_endpoint_is_recorded() {
        String id = registry.create("Ours");
        String token = registry.bus
                .call(IssueStartToken.CONTRACT, new IssueStartToken(UUID.fromString(id), 1))
                .await()
                .token();

        assertThat(registry.register(id, "http://127.0.0.1:7001", CARD, token))
                .hasToString("200 {\"status\":\"registered\"}");
        assertThat(registry.status(id)).isEqualTo("online");
        assertThat(registry.see(id).path("url").asText()).isEmpty();
    }

    @Test
    void an_agent_that_is_being_replaced_no_longer_brings_its_workspace_online() {
        var id = UUID.fromString(registry.create("Ours"));
        String old = registry.bus
                .call(IssueStartToken.CONTRACT, new IssueStartToken(id, 1))
                .await()
                .token();
        registry.bus
                .call(SetDesired.CONTRACT, new SetDesired(id, SetDesired.Action.RESTART, null, null))
                .await();

        assertThat(registry.register(id.toString(), "http://127.0.0.1:7001", CARD, old)
                        .status())
                .isEqualTo(200);
        assertThat(registry.beat(id.toString(), "", old).status()).isEqualTo(200);
        assertThat(registry.status(id.toString())).isEqualTo("provisioning");
    }

    @Test
    void a_paused_workspace_is_not_lifted_and_a_removed_one_stores_nothing() {
        String paused = registry.create("Paused");
        registry.bus
                .call(SetDesired.CONTRACT, new SetDesired(UUID.fromString(paused), SetDesired.Action.PAUSE, null, null))
                .await();
        String removed = registry.create("Removed");
        registry.delete("/workspaces/" + removed, RunningRegistry.ADMIN);

        registry.register(paused, URL, CARD, null);
        var answer = registry.register(removed, URL, CARD, null);

        assertThat(registry.status(paused)).isEqualTo("paused");
        assertThat(registry.see(paused).path("agent_card").isNull()).isTrue();
        assertThat(registry.see(paused).path("url").asText()).isEmpty();
        assertThat(registry.eventTypes(paused)).containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_PAUSED");
        assertThat(answer).hasToString("200 {\"status\":\"registered\"}");
        assertThat(registry.status(removed)).isEqualTo("removed");
        assertThat(registry.see(removed).path("agent_card").isNull()).isTrue();
    }

    @Test
    void of_many_first_registrations_at_once_one_gets_a_token_and_one_brings_it_online() {
        String id = registry.create("Contended");
        var body = Buffer.buffer("{\"id\":\"%s\",\"url\":\"http://localhost:8001\",\"agent_card\":{}}".formatted(id));
        var client = Kept.kept(WebClient.create(registry.vertx));
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(client.post(registry.verticle.actualPort(), "127.0.0.1", "/registry/register")
                    .sendBuffer(body)
                    .map(answer -> answer.bodyAsString()));
        }

        Future.join(answers).await();

        assertThat(answers)
                .filteredOn(answer -> answer.result().contains("auth_token"))
                .hasSize(1);
        assertThat(registry.eventTypes(id)).startsWith("WORKSPACE_PROVISIONING", "WORKSPACE_ONLINE");
        assertThat(registry.sql("SELECT 1 FROM workspace_tokens WHERE workspace_id = $1", UUID.fromString(id))
                        .size())
                .isEqualTo(1);
    }

    @Test
    void a_card_is_replaced_with_the_token_and_told() {
        String id = registry.create("Dev");
        String token = registry.token(id);
        String body = "{\"workspace_id\":\"%s\",\"agent_card\":{\"name\":\"New\"}}".formatted(id);

        assertThat(registry.post("/registry/update-card", body, null).status()).isEqualTo(401);
        assertThat(registry.post("/registry/update-card", body, token)).hasToString("200 {\"status\":\"updated\"}");
        assertThat(registry.events(id)).last().isEqualTo("AGENT_CARD_UPDATED {\"agent_card\":{\"name\":\"New\"}}");
        assertThat(registry.post(
                        "/registry/update-card",
                        body.replace(id, UUID.randomUUID().toString()),
                        null))
                .hasToString("200 {\"status\":\"updated\"}");
    }
}
