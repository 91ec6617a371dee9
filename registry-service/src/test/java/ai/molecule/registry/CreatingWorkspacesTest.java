package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.bus.provisioner.TemplateRuntime;
import ai.molecule.common.bus.provisioner.TierFits;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code POST /workspaces}, and what the two reads then show. */
class CreatingWorkspacesTest {

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

    @Test
    void a_managed_workspace_is_provisioning_and_its_reconciler_is_poked() {
        List<UUID> poked = new CopyOnWriteArrayList<>();
        var listener = registry.bus.listen(Reconcile.HINT, hint -> poked.add(hint.workspaceId()));

        var answer =
                registry.post("/workspaces", "{\"name\":\"Planner\",\"role\":\"plans\",\"canvas\":{\"x\":7}}", ADMIN);

        String id = answer.text("id");
        assertThat(answer)
                .hasToString(("201 {\"id\":\"%s\",\"status\":\"provisioning\",\"awareness_namespace\":\"workspace:%s\","
                                + "\"workspace_access\":\"none\"}")
                        .formatted(id, id));
        assertThat(registry.events(id))
                .containsExactly(
                        "WORKSPACE_PROVISIONING {\"x\":7,\"y\":0,\"name\":\"Planner\",\"role\":\"plans\",\"tier\":3,"
                                + "\"status\":\"provisioning\",\"runtime\":\"langgraph\",\"parent_id\":null}");
        await().untilAsserted(() -> assertThat(poked).contains(UUID.fromString(id)));
        listener.unregister().await();
    }

    @Test
    void a_child_is_told_where_it_stands_from_its_parent_unless_nobody_said_where() {
        String parent = registry.create("Lead", "\"canvas\":{\"x\":100,\"y\":50}");

        String placed =
                registry.create("Placed", "\"parent_id\":\"%s\"".formatted(parent), "\"canvas\":{\"x\":120,\"y\":180}");
        String undecided = registry.create("Undecided", "\"parent_id\":\"%s\"".formatted(parent));

        assertThat(registry.events(placed).getFirst()).contains("\"x\":20,\"y\":130");
        assertThat(registry.events(undecided).getFirst())
                .contains("\"parent_id\":\"" + parent)
                .doesNotContain("\"x\":");
    }

    @Test
    void the_list_shows_every_field_and_the_public_read_keeps_some_back() {
        String id = registry.create("Writer", "\"canvas\":{\"x\":100,\"y\":1.5}", "\"budget_limit\":500");

        var listed = registry.get("/workspaces", ADMIN).body();
        var open = registry.get("/workspaces/" + id, null);
        var own = registry.get("/workspaces/" + id, registry.token(id));

        assertThat(listed)
                .contains("{\"id\":\"%s\",\"name\":\"Writer\",\"role\":null,\"tier\":3,\"status\":\"provisioning\","
                                .formatted(id)
                        + "\"agent_card\":null,\"url\":\"\",\"parent_id\":null,\"active_tasks\":0,"
                        + "\"max_concurrent_tasks\":1,\"last_error_rate\":0,\"uptime_seconds\":0,"
                        + "\"runtime\":\"langgraph\",\"x\":100,\"y\":1.5,\"collapsed\":false,"
                        + "\"last_sample_error\":\"\",\"current_task\":\"\",\"workspace_dir\":null,"
                        + "\"monthly_spend\":0,\"budget_limit\":500}");
        assertThat(open.body())
                .contains("\"last_outbound_at\":null")
                .doesNotContain("\"current_task\"", "last_sample_error", "workspace_dir", "budget", "monthly_spend");
        assertThat(own.body()).contains("\"current_task\":\"\"", "\"budget_limit\":500");
    }

    @Test
    void an_external_agent_with_a_url_is_online_at_once_and_has_no_token() {
        var answer = registry.post(
                "/workspaces", "{\"name\":\"Far\",\"external\":true,\"url\":\"https://far.example\"}", ADMIN);

        String id = answer.text("id");
        assertThat(answer).hasToString("201 {\"id\":\"%s\",\"external\":true,\"status\":\"online\"}".formatted(id));
        assertThat(registry.see(id).path("runtime").asText()).isEqualTo("external");
        assertThat(registry.see(id).path("url").asText()).isEqualTo("https://far.example");
        assertThat(registry.eventTypes(id)).containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_ONLINE");
        assertThat(registry.register(id, "https://1.1.1.1", "{}", null).text("auth_token"))
                .hasSize(43);
    }

    @Test
    void an_external_agent_without_a_url_gets_what_it_needs_to_connect() {
        var answer = registry.post("/workspaces", "{\"name\":\"Far\",\"runtime\":\"external\"}", ADMIN);

        String id = answer.text("id");
        var connection = answer.json().path("connection");
        assertThat(answer.text("status")).isEqualTo("awaiting_agent");
        assertThat(connection.path("workspace_id").asText()).isEqualTo(id);
        assertThat(connection.path("registry_endpoint").asText())
                .isEqualTo("http://127.0.0.1:%d/registry/register".formatted(registry.verticle.actualPort()));
        assertThat(connection.path("curl_register_template").asText()).contains(id, "curl -X POST");
        assertThat(connection.path("python_snippet").asText()).contains(id, "/registry/heartbeat");
        assertThat(registry.eventTypes(id)).containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_AWAITING_AGENT");
        assertThat(registry.beat(id, "", connection.path("auth_token").asText()).status())
                .isEqualTo(200);
        assertThat(registry.status(id)).isEqualTo("online");
    }

    @Test
    void bad_fields_are_refused_and_nothing_is_stored() {
        long before = registry.count("workspaces");

        assertThat(create("{}")).isEqualTo("400 {\"error\":\"invalid workspace payload\"}");
        assertThat(create("{\"name\":\"\"}")).isEqualTo("400 {\"error\":\"invalid workspace payload\"}");
        assertThat(create("{\"name\":7}")).isEqualTo("400 {\"error\":\"invalid workspace payload\"}");
        assertThat(create("{\"name\":\"a\",\"tier\":\"x\"}"))
                .isEqualTo("400 {\"error\":\"invalid workspace payload\"}");
        assertThat(create("{\"name\":\"a|b\"}")).isEqualTo("400 {\"error\":\"invalid workspace fields\"}");
        assertThat(create("{\"name\":\"a\",\"model\":\"%s\"}".formatted("m".repeat(101))))
                .isEqualTo("400 {\"error\":\"invalid workspace fields\"}");
        assertThat(create("{\"name\":\"a\",\"workspace_dir\":\"/etc/x\"}"))
                .isEqualTo("400 {\"error\":\"invalid workspace directory\"}");
        assertThat(create("{\"name\":\"a\",\"workspace_access\":\"read_only\"}"))
                .isEqualTo("400 {\"error\":\"invalid workspace access\"}");
        assertThat(create("{\"name\":\"a\",\"template\":\"../x\"}")).isEqualTo("400 {\"error\":\"invalid template\"}");
        assertThat(create("{\"name\":\"a\",\"parent_id\":\"%s\"}".formatted(UUID.randomUUID())))
                .isEqualTo("400 {\"error\":\"parent workspace not found\"}");
        assertThat(registry.count("workspaces")).isEqualTo(before);
    }

    @Test
    void an_unknown_workspace_is_not_found_and_a_text_that_is_no_uuid_is_invalid() {
        assertThat(registry.get("/workspaces/" + UUID.randomUUID(), null))
                .hasToString("404 {\"error\":\"workspace not found\"}");
        assertThat(registry.get("/workspaces/1-1-1-1-1", null)).hasToString("400 {\"error\":\"invalid workspace ID\"}");
    }

    @Test
    void what_the_caller_leaves_open_a_template_says() {
        registry.bus
                .serve(TemplateRuntime.CONTRACT, question -> switch (question.template()) {
                    case "full" -> Future.succeededFuture(new TemplateRuntime.Answer("echo", "m:1"));
                    case "broken" -> Future.succeededFuture(new TemplateRuntime.Answer("echo", "m".repeat(101)));
                    case "escaping" -> Future.failedFuture(ApiError.invalid("invalid template"));
                    default -> Future.succeededFuture(new TemplateRuntime.Answer(null, null));
                })
                .await();
        long before = registry.count("workspaces");

        assertThat(runtimeOf("\"template\":\"full\"")).isEqualTo("echo");
        assertThat(runtimeOf("\"template\":\"full\",\"runtime\":\"codex\",\"model\":\"\""))
                .isEqualTo("codex");
        assertThat(runtimeOf("\"template\":\"unknown\"")).isEqualTo("langgraph");
        assertThat(runtimeOf("\"template\":\"escaping\",\"runtime\":\"codex\",\"model\":\"m\""))
                .isEqualTo("codex");
        assertThat(create("{\"name\":\"a\",\"template\":\"escaping\"}"))
                .isEqualTo("400 {\"error\":\"invalid template\"}");
        assertThat(create("{\"name\":\"a\",\"template\":\"broken\"}"))
                .isEqualTo("400 {\"error\":\"invalid workspace fields\"}");

        assertThat(registry.count("workspaces")).isEqualTo(before + 4);
    }

    @Test
    void a_program_is_refused_a_tier_that_is_too_small_for_it_and_made_where_nobody_can_say() {
        assertThat(create("{\"name\":\"a\",\"runtime\":\"claude-code\",\"tier\":2}"))
                .startsWith("201 ");
        registry.bus
                .serve(
                        TierFits.CONTRACT,
                        question -> Future.succeededFuture(
                                new TierFits.Answer(question.tier() < 3 ? question.runtime() + " is too large" : null)))
                .await();
        String refused = "400 {\"error\":\"claude-code is too large\"}";

        assertThat(create("{\"name\":\"a\",\"runtime\":\"claude-code\",\"tier\":2}"))
                .isEqualTo(refused);
        assertThat(create("{\"name\":\"a\",\"runtime\":\"echo\",\"tier\":1}")).startsWith("201 ");
        var made = registry.post("/workspaces", "{\"name\":\"a\",\"runtime\":\"claude-code\"}", ADMIN);

        assertThat(made.status()).as("the tier of one that says none").isEqualTo(201);
        String path = "/workspaces/" + made.text("id");
        assertThat(registry.patch(path, "{\"tier\":1}", ADMIN)).hasToString(refused);
        assertThat(registry.patch(path, "{\"name\":\"b\",\"tier\":3}", ADMIN).status())
                .isEqualTo(200);
    }

    private static String runtimeOf(String members) {
        var created = registry.post("/workspaces", "{\"name\":\"Made\"," + members + "}", ADMIN);
        assertThat(created.status()).isEqualTo(201);
        return registry.see(created.text("id")).path("runtime").asText();
    }

    private static String create(String body) {
        return registry.post("/workspaces", body, ADMIN).toString();
    }
}
