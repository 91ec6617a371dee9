package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.workspaces.TenantName;
import ai.molecule.registry.RunningRegistry.Answer;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Roots of different tenants are strangers, and what is for everybody ends at them. */
class KeepingTenantsApartTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static String acme;

    @SuppressWarnings("NullAway.Init")
    private static String acmesOther;

    @SuppressWarnings("NullAway.Init")
    private static String below;

    @SuppressWarnings("NullAway.Init")
    private static String globex;

    @SuppressWarnings("NullAway.Init")
    private static String nobodys;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction();
        acme = of("acme", "Acme");
        acmesOther = of("acme", "Acme too");
        below = registry.child("Below", acme);
        globex = of("globex", "Globex");
        nobodys = registry.create("Nobody's");
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void roots_of_one_tenant_are_near_each_other_and_no_others() {
        assertThat(mayTalk(acme, acmesOther)).isTrue();
        assertThat(mayTalk(acme, below)).isTrue();
        assertThat(mayTalk(acme, globex)).isFalse();
        assertThat(mayTalk(acme, nobodys)).isFalse();
        assertThat(mayTalk(nobodys, registry.create("Another"))).isTrue();
        var rule =
                registry.bus.call(Directory.CONTRACT, new Directory()).await().accessRule();
        assertThat(rule.allows(UUID.fromString(acme), UUID.fromString(acmesOther)))
                .isTrue();
        assertThat(rule.allows(UUID.fromString(acme), UUID.fromString(globex))).isFalse();
        assertThat(rule.allows(UUID.fromString(acme), UUID.fromString(nobodys))).isFalse();
        assertThat(rule.allows(UUID.fromString(acme), UUID.fromString(below))).isTrue();
        assertThat(registry.get("/registry/" + acme + "/peers", registry.mint(acme))
                        .body())
                .contains("Acme too", "Below")
                .doesNotContain("Globex", "Nobody's");
        assertThat(registry.get("/registry/discover/" + globex, registry.mint(acme), "X-Workspace-ID", acme)
                        .status())
                .isEqualTo(403);
        assertThat(registry.get("/explain?caller=%s&target=%s".formatted(acme, globex), ADMIN)
                        .text("says"))
                .isEqualTo("roots of different tenants are strangers: Acme is of acme, Globex is of globex");
    }

    @Test
    void what_is_for_everybody_ends_at_the_tenant() {
        remember(acme, "acme knows");
        remember(nobodys, "nobody's knows");

        assertThat(globals(below)).contains("acme knows").doesNotContain("nobody's knows");
        assertThat(globals(globex)).doesNotContain("knows");
        assertThat(globals(nobodys)).contains("nobody's knows").doesNotContain("acme knows");

        secret("FOR_ALL", "");
        secret("FOR_ACME", ",\"grants\":[\"%s\"]".formatted(acme));
        assertThat(secrets(below)).contains("FOR_ACME").doesNotContain("FOR_ALL");
        assertThat(secrets(globex)).doesNotContain("FOR_");
        assertThat(secrets(nobodys)).contains("FOR_ALL").doesNotContain("FOR_ACME");
    }

    @Test
    void what_is_imported_for_a_tenant_is_its_own_with_all_below() {
        var root = UUID.randomUUID();
        var child = UUID.randomUUID();
        var items = List.of(item(root, null, "Imported"), item(child, root, "Imported below"));
        registry.bus
                .call(CreateWorkspaces.CONTRACT, new CreateWorkspaces(items, null, "acme"))
                .await();

        assertThat(registry.get("/workspaces/" + root, ADMIN).text("tenant")).isEqualTo("acme");
        assertThat(mayTalk(root.toString(), acme)).isTrue();
        assertThat(mayTalk(root.toString(), nobodys)).isFalse();
        var managed = registry.bus
                .call(ListManaged.CONTRACT, ListManaged.one(child))
                .await()
                .workspaces()
                .getFirst();
        assertThat(managed.tenant()).isEqualTo("acme");
        assertThat(managed.circle()).isEqualTo(root);
        assertThat(registry.bus
                        .call(ListManaged.CONTRACT, ListManaged.one(root))
                        .await()
                        .workspaces()
                        .getFirst()
                        .circle())
                .isEqualTo(TenantName.scopeOf("acme"));
    }

    @Test
    void the_list_of_agents_is_that_of_the_tenant_that_is_named() {
        assertThat(registry.get("/.well-known/agents", ADMIN, "X-Molecule-Org-Id", "acme")
                        .body())
                .contains("\"Acme\"", "\"Below\"")
                .doesNotContain("Globex", "Nobody's");
        assertThat(registry.get("/.well-known/agents", ADMIN).body()).contains("Acme", "Globex", "Nobody's");
        assertThat(registry.get("/.well-known/agents", ADMIN, "X-Molecule-Org-Id", "a b")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void an_agent_knows_of_another_tenants_workspaces_what_it_knows_of_none() {
        String unknown = UUID.randomUUID().toString();
        String globexsOther = of("globex", "Globex too");
        for (String agent : List.of(acme, below, nobodys)) {
            String token = registry.mint(agent);
            for (String path : List.of("/workspaces/%s", "/workspaces/%s/.well-known/agent-card.json")) {
                assertThat(registry.get(path.formatted(globex), token))
                        .as(path)
                        .hasToString(
                                registry.get(path.formatted(unknown), token).toString())
                        .hasToString("404 {\"error\":\"workspace not found\"}");
            }
            assertThat(allowed(globex, globexsOther, token)).isFalse();
            assertThat(registry.get("/.well-known/agents", token).body()).doesNotContain("Globex");
        }

        assertThat(registry.get("/workspaces/" + acmesOther, registry.mint(below))
                        .status())
                .isEqualTo(200);
        assertThat(registry.get("/workspaces/" + acmesOther + "/.well-known/agent-card.json", registry.mint(below))
                        .status())
                .isEqualTo(200);
        assertThat(allowed(acme, acmesOther, registry.mint(below))).isTrue();
        assertThat(registry.get("/workspaces/" + nobodys, registry.mint(nobodys))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void people_of_a_tenant_or_a_branch_are_shown_its_agents_alone() {
        try (var persons = Persons.of(registry)) {
            String tenant = persons.come("tia", "\"role\":\"viewer\",\"tenant\":\"acme\"");
            String branch = persons.come("bea", "\"role\":\"viewer\",\"branch\":\"%s\"".formatted(below));
            String whole = persons.come("wim", "\"role\":\"viewer\"");

            assertThat(agents(tenant)).contains("Acme", "Acme too", "Below").doesNotContain("Globex", "Nobody's");
            assertThat(agents(branch)).containsExactly("Below");
            assertThat(agents(whole)).contains("Acme", "Below", "Globex", "Nobody's");
            assertThat(agents(tenant, "X-Molecule-Org-Id", "globex")).isEmpty();
            String card = "/.well-known/agent-card.json";
            String alone = of("initech", "Initech");
            assertThat(registry.get(card, whole, "X-Molecule-Org-Id", "initech").text("name"))
                    .isEqualTo("Initech");
            for (String who : List.of(tenant, branch, registry.mint(acme))) {
                assertThat(registry.get(card, who, "X-Molecule-Org-Id", "initech")
                                .status())
                        .isEqualTo(404);
            }
            assertThat(registry.get(
                                    card,
                                    persons.come("ian", "\"role\":\"viewer\",\"tenant\":\"initech\""),
                                    "X-Molecule-Org-Id",
                                    "initech")
                            .status())
                    .isEqualTo(200);
            assertThat(registry.get(card, registry.mint(alone), "X-Molecule-Org-Id", "initech")
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void a_tenants_budget_is_one_of_a_team_above_its_roots() {
        var limited = registry.patch("/tenants/acme/budget", "{\"budget_limit\":500,\"budget_period\":\"day\"}", ADMIN);
        assertThat(limited.status()).as(limited.body()).isEqualTo(200);
        assertThat(limited.json().path("budget_limit").asInt()).isEqualTo(500);

        var teams = registry.bus
                .call(BudgetOf.CONTRACT, new BudgetOf(UUID.fromString(below)))
                .await()
                .teams();
        assertThat(teams)
                .endsWith(new BudgetOf.Team(TenantName.scopeOf("acme"), 500L, "day", "acme"))
                .hasSize(2);
        assertThat(registry.bus
                        .call(BudgetOf.CONTRACT, new BudgetOf(UUID.fromString(globex)))
                        .await()
                        .teams())
                .containsExactly(new BudgetOf.Team(TenantName.scopeOf("globex"), null, "month", "globex"));
        assertThat(registry.bus
                        .call(BudgetOf.CONTRACT, new BudgetOf(UUID.fromString(nobodys)))
                        .await()
                        .teams())
                .isEmpty();
        assertThat(registry.get("/tenants", ADMIN).body())
                .contains("\"name\":\"acme\",\"id\":\"%s\"".formatted(TenantName.scopeOf("acme")))
                .contains("\"budget_limit\":500,\"budget_period\":\"day\"")
                .contains("\"name\":\"globex\"");
        assertThat(registry.patch("/tenants/-a/budget", "{\"budget_limit\":1}", ADMIN)
                        .status())
                .isEqualTo(400);
        assertThat(registry.patch("/tenants/acme/budget", "{\"budget_limit\":-1}", ADMIN)
                        .status())
                .isEqualTo(400);
        assertThat(registry.patch("/tenants/acme/budget", "{\"budget_limit\":1,\"budget_period\":\"week\"}", ADMIN)
                        .status())
                .isEqualTo(400);
        assertThat(registry.patch("/tenants/acme/budget", "{}", ADMIN).status()).isEqualTo(400);
    }

    @Test
    void who_comes_into_a_tree_is_of_its_tenant_and_does_not_leave_it_by_becoming_a_root() {
        String moved = of("globex", "Moved");

        move(moved, "\"" + acme + "\"");
        assertThat(mayTalk(moved, below)).isTrue();
        assertThat(mayTalk(moved, globex)).isFalse();

        move(moved, "null");
        assertThat(mayTalk(moved, acmesOther)).isTrue();
        assertThat(mayTalk(moved, globex)).isFalse();
        assertThat(mayTalk(moved, nobodys)).isFalse();
        assertThat(registry.get("/workspaces/" + moved, ADMIN).text("tenant")).isEqualTo("acme");
    }

    @Test
    void a_root_is_given_to_another_and_those_below_are_not() {
        String root = registry.create("Given");

        assertThat(give(root, "\"initech\"").text("tenant")).isEqualTo("initech");
        assertThat(give(root, "\"initech\"").status()).isEqualTo(200);
        assertThat(mayTalk(root, nobodys)).isFalse();
        assertThat(registry.count("log.audit WHERE verb = 'workspace.given_to_tenant'"))
                .isPositive();
        assertThat(give(root, "null").status()).isEqualTo(200);
        assertThat(mayTalk(root, nobodys)).isTrue();

        assertThat(give(below, "\"globex\"").status()).isEqualTo(409);
        assertThat(give(UUID.randomUUID().toString(), "\"globex\"").status()).isEqualTo(404);
        for (String wrong : new String[] {"\"\"", "\"a b\"", "7", "\"" + "x".repeat(101) + "\""}) {
            assertThat(give(root, wrong).status()).isEqualTo(400);
        }
    }

    @Test
    void who_names_a_tenant_sees_its_workspaces_alone() {
        String seen =
                registry.get("/workspaces", ADMIN, "X-Molecule-Org-Id", "acme").body();

        assertThat(seen).contains(acme, acmesOther, below).doesNotContain(globex, nobodys);
        assertThat(registry.get("/workspaces", ADMIN).body()).contains(acme, globex, nobodys);
    }

    private static CreateWorkspaces.Item item(UUID id, @Nullable UUID parent, String name) {
        return new CreateWorkspaces.Item(
                id,
                parent,
                name,
                null,
                CreateWorkspaces.Agent.managed("echo", null, 1),
                0,
                0,
                List.of(),
                Map.of(),
                null,
                false);
    }

    private static String of(String tenant, String name) {
        return registry.send(
                        HttpMethod.POST,
                        "/workspaces",
                        "{\"name\":\"%s\"}".formatted(name),
                        ADMIN,
                        "X-Molecule-Org-Id",
                        tenant)
                .text("id");
    }

    /** As the proxy asks, and as {@code check-access} does. */
    private static boolean mayTalk(String caller, String target) {
        boolean routed = registry.bus
                .call(ResolveRoute.CONTRACT, new ResolveRoute(UUID.fromString(target), UUID.fromString(caller)))
                .await()
                .allowed();
        assertThat(allowed(caller, target, ADMIN)).isEqualTo(routed);
        return routed;
    }

    private static boolean allowed(String caller, String target, String asking) {
        return registry.post(
                        "/registry/check-access",
                        "{\"caller_id\":\"%s\",\"target_id\":\"%s\"}".formatted(caller, target),
                        asking)
                .json()
                .path("allowed")
                .asBoolean();
    }

    private static List<String> agents(String bearer, String... headers) {
        return registry.get("/.well-known/agents", bearer, headers).json().findValuesAsText("name");
    }

    private static void remember(String root, String what) {
        assertThat(registry.post(
                                "/workspaces/" + root + "/memories",
                                "{\"content\":\"%s\",\"scope\":\"GLOBAL\"}".formatted(what),
                                ADMIN)
                        .status())
                .isEqualTo(201);
    }

    private static String globals(String reader) {
        return registry.get("/workspaces/" + reader + "/memories?scope=GLOBAL", ADMIN)
                .body();
    }

    private static void secret(String key, String grants) {
        assertThat(registry.send(
                                HttpMethod.PUT,
                                "/settings/secrets",
                                "{\"key\":\"%s\",\"value\":\"x\"%s}".formatted(key, grants),
                                ADMIN)
                        .status())
                .isEqualTo(200);
    }

    private static String secrets(String reader) {
        return registry.get("/workspaces/" + reader + "/secrets", ADMIN).body();
    }

    private static void move(String id, String parent) {
        assertThat(registry.post("/workspaces/" + id + "/move", "{\"parent_id\":%s}".formatted(parent), ADMIN)
                        .status())
                .isEqualTo(200);
    }

    private static Answer give(String id, String tenant) {
        return registry.send(
                HttpMethod.PUT, "/workspaces/" + id + "/tenant", "{\"tenant\":%s}".formatted(tenant), ADMIN);
    }
}
