package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Guard;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetDesired.Action;
import ai.molecule.registry.RunningRegistry.Answer;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator of a branch or a tenant cannot do with the role that is theirs: reach beyond it, or undo what the organization imposed. */
class OperatorsOfBranchesTest {

    private static final MovableClock CLOCK = new MovableClock();

    /** Of every request to a workspace that asks for an administrator: its body, or none. */
    private record Attempt(String method, String path, String body) {}

    /** {@code %s} is the workspace, {@code $beyond} one of another tenant, {@code $version} one from when the organization had given more. */
    private static final List<Attempt> ATTEMPTS = List.of(
            new Attempt("PUT", "/workspaces/:id/tenant", "{\"tenant\":null}"),
            new Attempt("PUT", "/workspaces/:id/tenant", "{\"tenant\":\"bravo\"}"),
            new Attempt("POST", "/workspaces/:id/move", "{\"parent_id\":null}"),
            new Attempt("POST", "/workspaces/:id/move", "{\"parent_id\":\"$beyond\"}"),
            new Attempt("POST", "/workspaces/:id/admit", "{}"),
            new Attempt("POST", "/workspaces/:id/quarantine", "{\"branch\":true}"),
            new Attempt("DELETE", "/workspaces/:id/quarantine", ""),
            new Attempt("DELETE", "/workspaces/:id/quarantine?branch=true", ""),
            new Attempt("PATCH", "/workspaces/:id/budget", "{\"team_limit\":null}"),
            new Attempt("PATCH", "/workspaces/:id/budget", "{\"team_limit\":1000000}"),
            new Attempt("PATCH", "/workspaces/:id/budget", "{\"team_period\":\"day\"}"),
            new Attempt("PATCH", "/workspaces/:id/budget", "{\"budget_limit\":null}"),
            new Attempt("PATCH", "/workspaces/:id/hibernation", "{\"idle_minutes\":7}"),
            new Attempt("POST", "/workspaces/:id/versions/$version/restore", "{}"),
            new Attempt("GET", "/workspaces/:id/policy", ""),
            new Attempt("PUT", "/workspaces/:id/policy/organisations", "{\"refuse_when\":\"false\"}"),
            new Attempt("DELETE", "/workspaces/:id/policy/organisations", ""),
            new Attempt("DELETE", "/workspaces/:id?confirm=true&purge=true", ""));

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static Persons persons;

    private String root = "";
    private String agent = "";
    private String beyond = "";

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(CLOCK);
        persons = Persons.of(registry);
    }

    @AfterAll
    static void stop() {
        persons.close();
        registry.close();
    }

    @BeforeEach
    void two_tenants() {
        root = rootOf("acme", "Acme");
        agent = registry.child("Agent", root);
        beyond = rootOf("bravo", "Bravo");
    }

    @Test
    void no_route_lets_them_reach_beyond_or_undo_what_the_organization_imposed() {
        impose();
        var before = state();
        for (String bearer : new String[] {ofBranch(), ofTenant()}) {
            for (String id : new String[] {agent, root, beyond}) {
                for (var attempt : ATTEMPTS) {
                    var answer = send(attempt, id, bearer);

                    assertThat(answer.status())
                            .as("%s at %s: %s", attempt, id, answer)
                            .isLessThan(500);
                    assertThat(state())
                            .as("after %s at %s: %s", attempt, id, answer)
                            .isEqualTo(before);
                }
            }
        }
    }

    /** Imposed at the root as well, so that what is imposed there is seen to stay too. */
    private void impose() {
        for (String id : new String[] {agent, root}) {
            admin("PATCH", "/workspaces/" + id, "{\"workspace_dir\":\"/tmp\",\"tier\":4}");
            admin("PATCH", "/workspaces/" + id, "{\"workspace_dir\":\"\",\"tier\":1}");
            admin("PATCH", "/workspaces/" + id + "/budget", "{\"budget_limit\":100,\"team_limit\":500}");
            admin(
                    "PUT",
                    "/workspaces/" + id + "/policy/organisations",
                    "{\"refuse_when\":\"true\",\"mode\":\"enforce\"}");
            admin("POST", "/workspaces/" + id + "/quarantine", "{}");
        }
    }

    @Test
    void the_attempts_are_at_every_route_of_a_workspace_that_asks_for_an_administrator() {
        var tried = new TreeSet<String>();
        ATTEMPTS.forEach(attempt -> tried.add(attempt.method + " "
                + attempt.path.split("\\?", 2)[0].replace("$version", ":n").replace("organisations", ":name")));
        var guarded = new TreeSet<String>();
        registry.verticle.routes().stream()
                .filter(route -> route.guard() == Guard.ADMIN && route.path().contains(":id"))
                .forEach(route -> guarded.add(route.method() + " " + route.path()));

        assertThat(tried).isEqualTo(guarded);
    }

    @Test
    void a_branch_releases_what_it_quarantined_itself_unless_the_organization_did_so_too() {
        String kim = ofBranch();
        send("POST", "/workspaces/" + agent + "/quarantine", "{}", kim);
        assertThat(send("DELETE", "/workspaces/" + agent + "/quarantine", "", kim)
                        .status())
                .isEqualTo(200);

        send("POST", "/workspaces/" + agent + "/quarantine", "{}", kim);
        assertThat(admin("POST", "/workspaces/" + agent + "/quarantine", "{}"))
                .hasToString("200 {\"status\":\"quarantined\",\"workspaces\":[]}");

        assertThat(send("DELETE", "/workspaces/" + agent + "/quarantine", "", kim))
                .hasToString(
                        "403 {\"error\":\"the organization quarantined this workspace, or one below it — ask an operator of the organization to release it\"}");
        assertThat(admin("DELETE", "/workspaces/" + agent + "/quarantine", "").status())
                .isEqualTo(200);
    }

    @Test
    void who_was_paused_by_the_organization_is_neither_resumed_nor_restarted_by_a_branch() {
        String sibling = registry.child("Sibling", root);
        want(agent, Action.PAUSE, false);
        for (var action : new Action[] {Action.RESUME, Action.RESTART}) {
            assertThat(said(want(agent, action, true)))
                    .isEqualTo(
                            "the organization paused this workspace — ask an operator of the organization to resume it");
        }

        want(root, Action.PAUSE, true);
        want(root, Action.RESUME, true);

        assertThat(registry.status(root)).isEqualTo("provisioning");
        assertThat(registry.status(sibling)).isEqualTo("provisioning");
        assertThat(registry.status(agent)).isEqualTo("paused");
        want(agent, Action.RESUME, false);
        assertThat(registry.status(agent)).isEqualTo("provisioning");
        want(agent, Action.PAUSE, true);
        want(agent, Action.RESUME, true);
        assertThat(registry.status(agent)).as("a pause of the branch's own").isEqualTo("provisioning");
    }

    @Test
    void what_a_quarantine_of_the_organization_paused_stays_paused_after_its_release() {
        admin("POST", "/workspaces/" + agent + "/quarantine", "{}");
        admin("DELETE", "/workspaces/" + agent + "/quarantine", "");

        assertThat(want(agent, Action.RESUME, true).failed()).isTrue();
        assertThat(registry.status(agent)).isEqualTo("paused");
    }

    @Test
    void a_limit_is_whose_it_was_set_by() {
        String kim = ofBranch();
        String budget = "/workspaces/" + agent + "/budget";
        send("PATCH", budget, "{\"budget_limit\":5,\"team_limit\":6}", kim);
        assertThat(send("PATCH", budget, "{\"budget_limit\":50,\"team_limit\":null}", kim)
                        .status())
                .isEqualTo(200);

        admin("PATCH", budget, "{\"team_limit\":500}");

        assertThat(send("PATCH", budget, "{\"team_limit\":null}", kim))
                .hasToString(
                        "403 {\"error\":\"the organization set team_limit — ask an operator of the organization to change it\"}");
        assertThat(send("PATCH", budget, "{\"team_limit\":500,\"budget_limit\":70}", kim)
                        .status())
                .as("its own beside one that stays as it is")
                .isEqualTo(200);
        assertThat(send("PATCH", budget, "{\"team_limit\":501}", kim).status())
                .as("what is left as it was is no branch's")
                .isEqualTo(403);
        admin("PATCH", budget, "{\"team_limit\":null}");
        assertThat(send("PATCH", budget, "{\"team_limit\":7}", kim).status()).isEqualTo(200);
    }

    @Test
    void a_version_with_what_only_the_organization_gives_is_not_restored_by_a_branch() {
        String kim = ofBranch();
        admin("PATCH", "/workspaces/" + agent, "{\"workspace_dir\":\"/tmp\",\"tier\":4,\"role\":\"r\"}");
        admin("PATCH", "/workspaces/" + agent, "{\"workspace_dir\":\"\",\"tier\":1}");
        admin("PATCH", "/workspaces/" + agent + "/budget", "{\"budget_limit\":100}");
        admin("PATCH", "/workspaces/" + agent, "{\"role\":\"writes\"}");
        admin("PATCH", "/workspaces/" + agent, "{\"role\":\"reads\"}");
        var before = versions();

        assertThat(send("POST", "/workspaces/" + agent + "/versions/2/restore", "{}", kim))
                .hasToString(
                        "403 {\"error\":\"version 2 brings back tier, workspace_dir, budget_limit, which only an operator of the organization may set — restore a version that has it as it is now, or ask one\"}");
        assertThat(versions()).isEqualTo(before);

        assertThat(send("POST", "/workspaces/" + agent + "/versions/5/restore", "{}", kim)
                        .status())
                .as("what is a branch's to set")
                .isEqualTo(200);
        assertThat(registry.see(agent).path("role").asText()).isEqualTo("writes");
        assertThat(admin("POST", "/workspaces/" + agent + "/versions/2/restore", "{}")
                        .status())
                .isEqualTo(200);
        assertThat(registry.see(agent).path("tier").asInt()).isEqualTo(4);
    }

    @Test
    void a_policy_that_the_organization_set_at_a_branch_is_not_the_branchs_to_change() {
        String kim = ofBranch();
        String rule = "{\"refuse_when\":\"true\",\"mode\":\"enforce\"}";
        admin("PUT", "/workspaces/" + agent + "/policy/organisations", rule);
        send("PUT", "/workspaces/" + agent + "/policy/ours", rule, kim);

        assertThat(send("PUT", "/workspaces/" + agent + "/policy/organisations", rule, kim)
                        .status())
                .as("as it is already")
                .isEqualTo(200);
        assertThat(send(
                                "PUT",
                                "/workspaces/" + agent + "/policy/organisations",
                                rule.replace("enforce", "observe"),
                                kim)
                        .status())
                .isEqualTo(403);
        assertThat(send("DELETE", "/workspaces/" + agent + "/policy/organisations", "", kim))
                .hasToString(
                        "403 {\"error\":\"the organization set this policy — ask an operator of the organization to change it\"}");
        assertThat(send("DELETE", "/workspaces/" + agent + "/policy/ours", "", kim)
                        .status())
                .isEqualTo(200);
        assertThat(admin("DELETE", "/workspaces/" + agent + "/policy/organisations", "")
                        .status())
                .isEqualTo(200);
    }

    /** Of everybody what is the organization's to say, and of the tenant beyond all. */
    private List<String> state() {
        List<String> state = new ArrayList<>();
        registry.sql("""
                SELECT id, parent_id, tenant, status, quarantined, team_limit, team_period, budget_limit, tier, workspace_dir, public_card
                FROM workspaces WHERE id IN ($1, $2, $3) ORDER BY id
                """, UUID.fromString(root), UUID.fromString(agent), UUID.fromString(beyond))
                .forEach(row -> state.add(row.deepToString()));
        registry.sql("SELECT branch, name, refuse_when, mode FROM policy_rules ORDER BY branch, name")
                .forEach(row -> state.add(row.deepToString()));
        registry.sql("SELECT id, hibernation_idle_minutes FROM workspaces WHERE id = $1", UUID.fromString(beyond))
                .forEach(row -> state.add(row.deepToString()));
        return state;
    }

    private String versions() {
        return registry.get("/workspaces/" + agent + "/versions", ADMIN).body()
                + registry.see(agent).path("tier");
    }

    private Answer send(Attempt attempt, String id, String bearer) {
        return send(
                attempt.method,
                attempt.path.replace(":id", id).replace("$version", "2"),
                attempt.body.replace("$beyond", beyond),
                bearer);
    }

    private static Answer send(String method, String path, String body, String bearer) {
        return registry.send(HttpMethod.valueOf(method), path, body.isEmpty() ? null : body, bearer);
    }

    private static Answer admin(String method, String path, String body) {
        var answer = send(method, path, body, ADMIN);
        assertThat(answer.status()).as("%s %s: %s", method, path, answer).isEqualTo(200);
        return answer;
    }

    private static Future<SetDesired.Done> want(String id, Action action, boolean ofBranch) {
        var wish = new SetDesired(UUID.fromString(id), action, null, null, ofBranch);
        var done = registry.bus.call(SetDesired.CONTRACT, wish);
        done.transform(settled -> Future.succeededFuture()).await();
        return done;
    }

    private static String said(Future<?> failed) {
        return failed.failed() ? String.valueOf(failed.cause().getMessage()) : "done";
    }

    private static String rootOf(String tenant, String name) {
        String id = registry.create(name + UUID.randomUUID());
        admin("PUT", "/workspaces/" + id + "/tenant", "{\"tenant\":\"%s\"}".formatted(tenant));
        return id;
    }

    private String ofBranch() {
        return come("\"role\":\"operator\",\"branch\":\"%s\"".formatted(root));
    }

    private static String ofTenant() {
        return come("\"role\":\"operator\",\"tenant\":\"acme\"");
    }

    private static String come(String role) {
        CLOCK.advance(Duration.ofMinutes(1)); // links are counted
        return persons.come("p" + UUID.randomUUID(), role);
    }
}
