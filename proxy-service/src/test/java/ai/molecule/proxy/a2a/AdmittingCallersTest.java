package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may send to whom, and in which order it is asked. */
@ExtendWith(VertxExtension.class)
class AdmittingCallersTest {

    private static final String DENIED =
            "403 {\"error\":\"access denied: workspaces cannot communicate per hierarchy rules\"}";

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    @BeforeEach
    void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx);
        agent = proxy.agentSaying("{}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"webhook:github", "system:restart-context", "test:x", "channel:1"})
    void a_name_of_the_platforms_own_callers_is_refused(String forged) {
        assertThat(from(forged)).isEqualTo("403 {\"error\":\"invalid caller ID\"}");
    }

    @Test
    void a_caller_with_a_token_must_show_its_own() {
        var caller = UUID.randomUUID();
        proxy.platform.mayTalk(caller, agent);
        String own = proxy.platform.tokenOf(caller);
        String others = proxy.platform.tokenOf(UUID.randomUUID());

        assertThat(from(caller)).isEqualTo("401 {\"error\":\"missing caller auth token\"}");
        assertThat(from(caller, "Authorization", "Bearer garbage"))
                .isEqualTo("401 {\"error\":\"invalid caller auth token\"}");
        assertThat(from(caller, "Authorization", "Bearer " + others))
                .isEqualTo("401 {\"error\":\"invalid caller auth token\"}");
        assertThat(from(caller, "Authorization", "Bearer " + own)).isEqualTo("200 {}");
    }

    @Test
    void a_caller_without_any_token_is_taken_at_its_word() {
        var caller = UUID.randomUUID();
        proxy.platform.mayTalk(caller, agent);

        assertThat(from(caller)).isEqualTo("200 {}");
    }

    @Test
    void a_caller_far_away_in_the_chart_or_unknown_is_denied() {
        assertThat(from(UUID.randomUUID())).isEqualTo(DENIED);
        assertThat(from("no-uuid")).isEqualTo(DENIED);
        assertThat(seen(proxy.send(UUID.randomUUID(), HELLO, "X-Workspace-ID", agent.toString())))
                .isEqualTo(DENIED);
        assertThat(seen(proxy.post("/workspaces/no-uuid/a2a", HELLO, "X-Workspace-ID", agent.toString())))
                .isEqualTo(DENIED);
    }

    @Test
    void a_workspace_writes_to_itself_without_token_or_rule() {
        proxy.platform.tokenOf(agent);

        assertThat(from(agent)).isEqualTo("200 {}");
        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows.getFirst().sourceId()).isEqualTo(agent);
        assertThat(proxy.platform.live).isEmpty();
    }

    @Test
    void a_source_beside_no_caller_counts_when_its_token_proves_it() {
        var source = UUID.randomUUID();
        proxy.platform.mayTalk(source, agent);
        String own = proxy.platform.tokenOf(source);

        assertThat(claiming(source, own)).isEqualTo("200 {}");

        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows.getFirst().sourceId()).isEqualTo(source);
        assertThat(proxy.platform.live).isEmpty();
    }

    @Test
    void a_source_that_is_not_proven_is_the_canvas_and_one_that_may_not_talk_is_still_itself() {
        var stranger = UUID.randomUUID();

        assertThat(claiming(stranger, "garbage")).isEqualTo("200 {}");
        assertThat(claiming(stranger, proxy.platform.tokenOf(stranger))).isEqualTo(DENIED);

        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows)
                .allSatisfy(row -> assertThat(row.sourceId()).isNull());
    }

    @Test
    void who_shows_a_workspaces_token_is_that_workspace_and_not_the_person() {
        var caller = UUID.randomUUID();
        String token = "Bearer " + proxy.platform.tokenOf(caller);
        assertThat(seen(proxy.send(agent, HELLO, "Authorization", token))).isEqualTo(DENIED);

        proxy.platform.mayTalk(caller, agent);
        proxy.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(agent, 2));

        await().untilAsserted(() -> assertThat(seen(proxy.send(agent, HELLO, "Authorization", token)))
                .isEqualTo("200 {}"));
        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows.getFirst().sourceId()).isEqualTo(caller);
        assertThat(proxy.platform.live).isEmpty();
    }

    @Test
    void in_production_a_message_needs_a_credential_also_one_to_oneself(Vertx vertx) {
        var production = production(vertx);
        var target = agent;
        var tokenless = UUID.randomUUID();
        production.platform.mayTalk(tokenless, target);
        String missing = "401 {\"error\":\"missing caller auth token\"}";
        String invalid = "401 {\"error\":\"invalid caller auth token\"}";

        assertThat(seen(production.send(target, HELLO))).isEqualTo(missing);
        assertThat(seen(production.send(target, HELLO, "Authorization", "Bearer garbage")))
                .isEqualTo(invalid);
        for (var named : List.of(target, tokenless)) {
            assertThat(seen(production.send(target, HELLO, "X-Workspace-ID", named.toString())))
                    .isEqualTo(missing);
        }
        assertThat(production.platform.rows).isEmpty();

        String own = "Bearer " + production.platform.tokenOf(target);
        assertThat(seen(production.send(target, HELLO, "Authorization", "Bearer root")))
                .isEqualTo("200 {}");
        assertThat(seen(production.send(target, HELLO, "Authorization", own))).isEqualTo("200 {}");
        assertThat(seen(production.send(target, HELLO, "Authorization", own, "X-Workspace-ID", target.toString())))
                .isEqualTo("200 {}");
    }

    @Test
    void an_operator_may_let_everybody_write_as_the_person(Vertx vertx) {
        var production = production(vertx, "MOLECULE_OPEN_MESSAGES", "1");

        assertThat(seen(production.send(agent, HELLO))).isEqualTo("200 {}");
    }

    private ProxyUnderTest production(Vertx vertx, String... more) {
        var env = new ArrayList<>(List.of(
                "MOLECULE_ENV", "production",
                "ADMIN_TOKEN", "root",
                "SECRETS_ENCRYPTION_KEY", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
                "MOLECULE_BIND", "127.0.0.1"));
        env.addAll(List.of(more));
        var config = ProxyConfig.fromEnv(TestConfig.env(env.toArray(String[]::new)));
        return ProxyUnderTest.start(vertx, proxy.platform, config, work -> work);
    }

    @Test
    void nothing_goes_to_or_comes_from_a_quarantined_workspace_though_the_hint_was_lost() {
        var bad = proxy.agentSaying("{}");
        proxy.platform.mayTalk(bad, agent);
        assertThat(from(bad)).isEqualTo("200 {}");
        assertThat(seen(proxy.send(bad, HELLO))).isEqualTo("200 {}");

        proxy.platform.quarantine(bad);

        String closed = "403 {\"error\":\"workspace is quarantined\",\"status\":\"quarantined\"}";
        await().untilAsserted(() -> {
            assertThat(seen(proxy.send(bad, HELLO))).isEqualTo(closed);
            assertThat(from(bad)).isEqualTo(closed);
        });
    }

    @Test
    void a_paused_workspace_writes_to_nobody() {
        var paused = proxy.platform.workspaceAt("http://127.0.0.1:1");
        proxy.platform.mayTalk(paused, agent);
        String token = "Bearer " + proxy.platform.tokenOf(paused);
        proxy.platform.suspend(paused);

        for (String[] headers :
                new String[][] {{"Authorization", token}, {"Authorization", token, "X-Workspace-ID", paused.toString()}
                }) {
            assertThat(seen(proxy.send(agent, HELLO, headers))).isEqualTo("403 {\"error\":\"workspace is paused\"}");
        }
        assertThat(seen(proxy.post("/workspaces/" + paused + "/delegate", "{}", "Authorization", token)))
                .isEqualTo("403 {\"error\":\"workspace is paused\"}");
    }

    private String claiming(UUID source, String bearer) {
        return seen(proxy.send(
                agent, HELLO, "X-Source-Workspace-Id", source.toString(), "Authorization", "Bearer " + bearer));
    }

    @Test
    void the_canvas_needs_nothing() {
        proxy.platform.tokenOf(agent);

        assertThat(seen(proxy.send(agent, HELLO, "Authorization", "Bearer garbage")))
                .isEqualTo("200 {}");
        assertThat(seen(proxy.send(agent, HELLO, "X-Workspace-ID", ""))).isEqualTo("200 {}");
    }

    @Test
    void an_unknown_target_is_not_found() {
        assertThat(seen(proxy.send(UUID.randomUUID(), HELLO))).isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertThat(seen(proxy.post("/workspaces/no-uuid/a2a", HELLO)))
                .isEqualTo("404 {\"error\":\"workspace not found\"}");
    }

    @Test
    void a_spent_budget_stops_everybody_before_the_address_matters() {
        var poor = proxy.platform.workspace("", true, WorkspaceStatus.ONLINE, true);

        assertThat(seen(proxy.send(poor, HELLO))).isEqualTo("402 {\"error\":\"workspace budget limit exceeded\"}");
        assertThat(seen(proxy.send(poor, HELLO, "X-Workspace-ID", poor.toString())))
                .startsWith("402");
    }

    @Test
    void a_workspace_without_a_url_says_its_status_even_to_bad_json() {
        var starting = proxy.platform.workspace("", true, WorkspaceStatus.PROVISIONING, false);

        assertThat(seen(proxy.send(starting, "not json")))
                .isEqualTo("503 {\"error\":\"workspace has no URL\",\"status\":\"provisioning\"}");
    }

    @Test
    void a_removed_workspace_is_never_dialled() {
        var removed = proxy.platform.workspace("http://127.0.0.1:1", true, WorkspaceStatus.REMOVED, false);

        assertThat(seen(proxy.send(removed, HELLO)))
                .isEqualTo("503 {\"error\":\"workspace has no URL\",\"status\":\"removed\"}");
    }

    @Test
    void an_agent_that_could_not_be_started_is_not_dialled_whoever_listens_at_its_port() {
        var failed = proxy.platform.workspace("http://127.0.0.1:1", true, WorkspaceStatus.FAILED, false);

        assertThat(seen(proxy.send(failed, HELLO)))
                .isEqualTo("503 {\"error\":\"workspace has no URL\",\"status\":\"failed\"}");
    }

    @Test
    void a_paused_workspace_gets_no_messages_although_its_agent_lives_elsewhere_and_its_url_is_known() {
        var pushed = proxy.platform.workspace("http://127.0.0.1:1", true, WorkspaceStatus.PAUSED, false);
        var fetching = proxy.platform.workspace("remote://no-inbound", false, WorkspaceStatus.PAUSED, false);

        for (var paused : List.of(pushed, fetching)) {
            assertThat(seen(proxy.send(paused, HELLO)))
                    .isEqualTo("503 {\"error\":\"workspace has no URL\",\"status\":\"paused\"}");
        }
    }

    @Test
    void an_address_that_is_not_for_strangers_is_not_dialled_unless_the_platform_recorded_it() {
        var byHand = proxy.platform.workspace("http://127.0.0.1:1", false, WorkspaceStatus.ONLINE, false);

        assertThat(seen(proxy.send(byHand, "not json")))
                .isEqualTo("502 {\"error\":\"workspace URL is not publicly routable\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{\"a\":", "{} {}", "null"})
    void a_body_that_is_no_json_object_is_the_senders_error(String body) {
        assertThat(seen(proxy.send(agent, body))).isEqualTo("400 {\"error\":\"invalid JSON\"}");
        assertThat(proxy.platform.rows).isEmpty();
    }

    @Test
    void a_body_over_a_mebibyte_is_too_large_whoever_sends_it() {
        String body = "{\"a\":\"" + "x".repeat(1024 * 1024) + "\"}";

        assertThat(seen(proxy.send(agent, body, "X-Workspace-ID", "webhook:x")))
                .isEqualTo("413 {\"error\":\"request body too large\"}");
    }

    @Test
    void a_route_is_asked_for_once_and_again_when_the_workspace_changed(Vertx vertx) {
        // for two seconds, which one message may take on a busy machine
        await().until(() -> {
            int before = proxy.platform.resolved.size();
            proxy.send(agent, HELLO);
            proxy.send(agent, HELLO);
            return proxy.platform.resolved.size() - before < 2;
        });
        var moved = ProxyUnderTest.serve(
                vertx,
                request -> request.body().onSuccess(body -> request.response().end("\"moved\"")));

        proxy.platform.put(agent, ProxyUnderTest.urlOf(moved), true, WorkspaceStatus.ONLINE, false);
        proxy.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(agent, 2));

        await().untilAsserted(() -> assertThat(seen(proxy.send(agent, HELLO))).isEqualTo("200 \"moved\""));
    }

    private String from(Object caller, String... headers) {
        var all = new ArrayList<>(List.of("X-Workspace-ID", caller.toString()));
        all.addAll(List.of(headers));
        return seen(proxy.send(agent, HELLO, all.toArray(String[]::new)));
    }
}
