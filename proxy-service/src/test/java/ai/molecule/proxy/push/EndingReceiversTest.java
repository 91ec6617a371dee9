package ai.molecule.proxy.push;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A receiver that a person asked for is told nothing once what it was asked for with ended; its task goes on, and others are told of it. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndingReceiversTest {

    private static final String ROOT = "the admin token of this test";

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    /** How its task stands. */
    private volatile String state = "working";

    enum Ending {
        SESSION_OR_TOKEN_ENDED,
        ROLE_WITHDRAWN,
        ROLE_NARROWED_TO_ANOTHER_BRANCH
    }

    /** How a receiver comes to its task. */
    enum Way {
        SET,
        BROUGHT_BY_A_MESSAGE
    }

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        proxy = ProxyUnderTest.start(vertx, HastyPush::of, "MOLECULE_ENV", "development", "ADMIN_TOKEN", ROOT);
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @BeforeEach
    void join() {
        state = "working";
        agent = proxy.agent(this::answer);
    }

    static Stream<Arguments> endings() {
        return Stream.of(Way.values())
                .flatMap(way -> Stream.of(Ending.values()).map(ending -> Arguments.of(way, ending)));
    }

    @ParameterizedTest
    @MethodSource("endings")
    void a_receiver_of_a_person_ends_with_the_credential_and_the_right_that_asked_for_it(Way way, Ending ending) {
        String bearer = person();
        var persons = Told.answering(vertx, 200);
        var owners = Told.answering(vertx, 200);
        ask(way, bearer, persons, "persons");
        ask(Way.SET, ROOT, owners, "owners");
        persons.awaitStates("working");
        owners.awaitStates("working");

        proxy.platform.person(
                bearer,
                switch (ending) {
                    case SESSION_OR_TOKEN_ENDED -> null;
                    case ROLE_WITHDRAWN -> somebody(null, List.of());
                    case ROLE_NARROWED_TO_ANOTHER_BRANCH -> somebody(null, List.of(UUID.randomUUID()));
                },
                agent);
        state = "completed";

        owners.awaitStates("working", "completed");
        await().until(() -> receivers().equals(List.of("owners")));
        assertThat(persons.states()).containsExactly("working");
    }

    @Test
    void a_receiver_of_a_person_who_may_still_look_is_told() {
        String bearer = person();
        var told = Told.answering(vertx, 200);
        ask(Way.SET, bearer, told, "persons");
        told.awaitStates("working");

        proxy.platform.person(bearer, somebody(Role.VIEWER, List.of(agent)), agent);
        state = "completed";

        told.awaitStates("working", "completed");
    }

    /** Its token ends with each start; the receiver is the agent's. */
    @Test
    void a_receiver_of_an_agent_does_not_end_with_its_token() {
        var caller = proxy.platform.workspaceAt("http://127.0.0.1:9");
        proxy.platform.mayTalk(caller, agent);
        String token = proxy.platform.tokenOf(caller);
        var told = Told.answering(vertx, 200);
        ask(Way.SET, token, told, "agents");
        told.awaitStates("working");

        proxy.platform.revoke(token);
        state = "completed";

        told.awaitStates("working", "completed");
    }

    private String person() {
        String bearer = "bearer-" + UUID.randomUUID();
        proxy.platform.person(bearer, somebody(Role.OPERATOR, List.of(agent)), agent);
        return bearer;
    }

    private static Person somebody(@Nullable Role there, List<UUID> branches) {
        return new Person(UUID.randomUUID(), "kim", "Kim", null, there, branches, "token:abcdefgh");
    }

    private void ask(Way way, String bearer, Told told, String name) {
        String config = "{\"id\":\"%s\",\"url\":\"%s\"}".formatted(name, told.url());
        var answer =
                switch (way) {
                    case SET ->
                        call(
                                bearer,
                                "tasks/pushNotificationConfig/set",
                                "{\"taskId\":\"t\",\"pushNotificationConfig\":" + config + "}");
                    case BROUGHT_BY_A_MESSAGE ->
                        call(
                                bearer,
                                "message/send",
                                "{\"message\":{\"kind\":\"message\",\"messageId\":\"%s\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]},\"configuration\":{\"pushNotificationConfig\":%s}}"
                                        .formatted(UUID.randomUUID(), config));
                };
        assertThat(answer.path("error").toString()).isEmpty();
    }

    private List<String> receivers() {
        return call(ROOT, "tasks/pushNotificationConfig/list", "{\"id\":\"t\"}")
                .path("result")
                .findValuesAsText("id");
    }

    private JsonNode call(String bearer, String method, String params) {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}".formatted(method, params);
        return Json.stored(
                proxy.send(agent, body, "Authorization", "Bearer " + bearer).bodyAsString());
    }

    /** An agent of 0.3 with one task. */
    private void answer(HttpServerRequest request) {
        if (request.method().name().equals("GET")) {
            request.response().setStatusCode(404).end();
            return;
        }
        request.body()
                .onSuccess(body -> json(
                        request.response(),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\""
                                + state + "\"}}}"));
    }
}
