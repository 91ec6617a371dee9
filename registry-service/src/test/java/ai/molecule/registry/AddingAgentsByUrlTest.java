package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.ResolveRoute;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server of A2A that knows nothing of the platform: no registration, no heartbeats, a card. */
class AddingAgentsByUrlTest {

    private static final String CARD = "/.well-known/agent-card.json";
    private static final String CARD_10 =
            "{\"name\":\"Ten\",\"supportedInterfaces\":[{\"url\":\"x\",\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\"}]}";
    private static final String CARD_03 = "{\"name\":\"Three\",\"protocolVersion\":\"0.3.0\",\"url\":\"x\"}";

    private final Map<String, String> pages = new ConcurrentHashMap<>();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private RunningRegistry registry;
    private HttpServer agent;

    @BeforeEach
    void start() throws IOException {
        registry = RunningRegistry.start("MOLECULE_ENV", "development"); // which may dial this machine
        agent = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        agent.createContext("/", this::answer);
        agent.start();
    }

    @AfterEach
    void stop() {
        agent.stop(0);
        registry.close();
    }

    @Test
    void the_card_at_its_url_says_at_once_how_it_is_spoken_to() {
        pages.put(CARD, CARD_10);

        String id = add("/a2a/jsonrpc");

        assertThat(route(id).only10()).isTrue();
        assertThat(registry.see(id).at("/agent_card/name").asText()).isEqualTo("Ten");
        assertThat(asked).containsExactly("/a2a/jsonrpc" + CARD, CARD);
        assertThat(registry.events(id)).last().asString().startsWith("AGENT_CARD_UPDATED ");
    }

    @Test
    void of_several_agents_at_one_host_each_has_the_card_below_its_own_url() {
        pages.put(CARD, CARD_03);
        pages.put("/agents/ten" + CARD, CARD_10);

        assertThat(route(add("/agents/ten/")).only10()).isTrue();
        assertThat(route(add("/agents/three")).only10()).isFalse();
    }

    @Test
    void another_card_is_taken_and_the_same_one_changes_nothing() {
        pages.put(CARD, CARD_10);
        String id = add("/");
        lookAgain(id);
        pages.put(CARD, CARD_03);
        lookAgain(id);

        await().until(() -> !route(id).only10());
        assertThat(registry.events(id))
                .filteredOn(event -> event.startsWith("AGENT_CARD_UPDATED"))
                .hasSize(2);
    }

    @Test
    void its_card_is_its_sign_of_life_also_after_it_was_away() {
        String id = add("/");
        silent(id);

        pages.put(CARD, CARD_10);
        lookAgain(id);

        await().until(() -> registry.status(id).equals("online"));
        assertThat(registry.sql(
                                "SELECT last_heartbeat_at > now() - interval '60 s' AS heard FROM heartbeats WHERE workspace_id = $1",
                                UUID.fromString(id))
                        .iterator()
                        .next()
                        .getBoolean("heard"))
                .isTrue();
    }

    @Test
    void who_answers_without_a_card_shows_no_life() {
        pages.put(CARD, "<html>welcome</html>");
        String id = add("/");

        lookAgain(id);

        await().until(() -> misses(id) >= 2);
        assertThat(registry.see(id).path("agent_card").isNull()).isTrue();
        silent(id);
        lookAgain(id);
        await().until(() -> misses(id) >= 3);
        assertThat(registry.status(id)).isEqualTo("offline");
    }

    @Test
    void an_agent_that_registers_speaks_for_itself_from_then_on() {
        pages.put(CARD, CARD_10);
        String id = add("/");
        String token = registry.token(id);

        assertThat(registry.register(id, url("/").replace("127.0.0.1", "localhost"), CARD_03, token)
                        .status())
                .isEqualTo(200);

        assertThat(registry.sql("SELECT FROM card_lookups WHERE workspace_id = $1", UUID.fromString(id))
                        .size())
                .isZero();
        assertThat(route(id).only10()).isFalse();
    }

    private String add(String path) {
        return registry.create(
                "Agent " + UUID.randomUUID(), "\"external\":true", "\"url\":\"%s\"".formatted(url(path)));
    }

    private String url(String path) {
        return "http://127.0.0.1:" + agent.getAddress().getPort() + path;
    }

    /** As if it was time, and waits until it was done. */
    private void lookAgain(String id) {
        int before = asked.size();
        registry.sql("UPDATE card_lookups SET due_at = now() WHERE workspace_id = $1", UUID.fromString(id));
        await().until(() -> asked.size() > before);
    }

    /** As if nothing had been heard for longer than an external agent may be silent. */
    private void silent(String id) {
        registry.sql(
                "UPDATE card_lookups SET due_at = now() + interval '30 min' WHERE workspace_id = $1",
                UUID.fromString(id));
        registry.sql(
                "UPDATE heartbeats SET last_heartbeat_at = now() - interval '1 hour' WHERE workspace_id = $1",
                UUID.fromString(id));
        registry.sql(
                "UPDATE workspaces SET status_since = now() - interval '1 hour', status = 'offline' WHERE id = $1 AND status = 'online'",
                UUID.fromString(id));
    }

    private int misses(String id) {
        return registry.sql("SELECT misses FROM card_lookups WHERE workspace_id = $1", UUID.fromString(id))
                .iterator()
                .next()
                .getInteger("misses");
    }

    private ResolveRoute.Route route(String id) {
        return registry.bus
                .call(ResolveRoute.CONTRACT, new ResolveRoute(UUID.fromString(id), null))
                .await();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        asked.add(path);
        String page = pages.get(path);
        byte[] body = (page == null ? "nothing here" : page).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(page == null ? 404 : 200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
