package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.bus.registry.MayAct;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.registry.RunningRegistry.Answer;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What people may by their roles, for the organisation and for a branch; what their tokens may; and whose name the record has. */
class NarrowingRolesTest {

    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static Persons persons;

    private static String lead = "";
    private static String writer = "";
    private static String stranger = "";

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(CLOCK);
        persons = Persons.of(registry);
        lead = registry.create("Lead");
        writer = registry.child("Writer", lead);
        stranger = registry.create("Elsewhere");
    }

    @AfterAll
    static void stop() {
        persons.close();
        registry.close();
    }

    @Test
    void a_viewer_looks_and_changes_nothing() {
        String viewer = come("vic", "\"role\":\"viewer\"");

        assertThat(registry.get("/workspaces", viewer).status()).isEqualTo(200);
        assertThat(registry.get("/workspaces/" + writer + "/approvals", viewer).status())
                .isEqualTo(200);
        assertThat(registry.patch("/workspaces/" + writer, "{\"name\":\"X\"}", viewer))
                .hasToString("403 {\"error\":\"this asks for the role of an operator\"}");
        assertThat(registry.post("/workspaces/" + writer + "/tokens", "", viewer)
                        .status())
                .isEqualTo(403);
        assertThat(registry.get("/workspaces/" + writer + "/secrets/values", viewer)
                        .status())
                .isEqualTo(401);
    }

    @Test
    void an_operator_acts_and_an_owner_rules() {
        String operator = come("olly", "\"role\":\"operator\"");
        String owner = come("olga", "\"role\":\"owner\"");

        assertThat(registry.patch("/workspaces/" + writer, "{\"role\":\"writes\"}", operator)
                        .status())
                .isEqualTo(200);
        assertThat(registry.post("/org/tokens", "{}", operator).status()).isEqualTo(403);
        assertThat(registry.post("/people", "{\"login\":\"x\",\"role\":\"owner\"}", operator)
                        .status())
                .isEqualTo(403);
        assertThat(registry.post("/org/tokens", "{}", owner).status()).isEqualTo(200);
    }

    @Test
    void whoever_has_a_branch_acts_in_it_and_knows_of_nothing_beside_it() {
        String branch = come("bo", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(lead));

        assertThat(registry.patch("/workspaces/" + writer, "{\"role\":\"w\"}", branch)
                        .status())
                .isEqualTo(200);
        assertThat(registry.patch("/workspaces/" + writer + "/budget", "{\"budget_limit\":5}", branch)
                        .status())
                .isEqualTo(200);
        assertThat(registry.get("/workspaces/" + stranger, branch))
                .hasToString(registry.get("/workspaces/3f2c8c4e-8a52-4b43-9b7e-0d7c1f0e5a11", branch)
                        .toString())
                .hasToString("404 {\"error\":\"workspace not found\"}");
        assertThat(registry.get("/workspaces", branch).json().findValuesAsText("name"))
                .containsExactlyInAnyOrder("Lead", "Writer");
        assertThat(registry.get("/people", branch).status()).isEqualTo(403);
        assertThat(registry.patch("/workspaces/" + writer, "{\"parent_id\":null}", branch)
                        .status())
                .isEqualTo(403);
        assertThat(registry.post("/workspaces/" + writer + "/move", "{\"parent_id\":null}", branch)
                        .status())
                .isEqualTo(403);
    }

    @Test
    void whoever_has_a_branch_invites_into_it_and_of_other_invitations_knows_nothing() {
        String branch = come("ina", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(lead));
        String looks = come("ivo", "\"role\":\"viewer\",\"branch\":\"%s\"".formatted(lead));
        String elsewhere = invitation(invited("Guest of another", stranger, ADMIN));
        String nobodys = invitation(registry.post("/invitations", "{\"name\":\"Guest of all\"}", ADMIN));

        var mine = invited("Guest", writer, branch);

        assertThat(mine.status()).isEqualTo(201);
        assertThat(registry.get("/invitations", branch).json().findValuesAsText("name"))
                .containsExactly("Guest");
        assertThat(registry.get("/invitations", looks).json().findValuesAsText("name"))
                .containsExactly("Guest");
        assertThat(registry.get("/invitations", ADMIN).json().findValuesAsText("name"))
                .contains("Guest", "Guest of another", "Guest of all");
        assertThat(invited("Spy", stranger, branch)).hasToString("404 {\"error\":\"workspace not found\"}");
        assertThat(registry.post("/invitations", "{\"name\":\"Root\"}", branch))
                .hasToString("403 {\"error\":\"this asks for the role of an operator\"}");
        assertThat(invited("Guest", writer, looks).status()).isEqualTo(403);
        assertThat(registry.delete("/invitations/" + invitation(mine), looks).status())
                .isEqualTo(403);
        for (String others : new String[] {elsewhere, nobodys, "3f2c8c4e-8a52-4b43-9b7e-0d7c1f0e5a11"}) {
            assertThat(registry.delete("/invitations/" + others, branch))
                    .hasToString("404 {\"error\":\"invitation not found\"}");
        }
        assertThat(registry.delete("/invitations/" + invitation(mine), branch).status())
                .isEqualTo(200);
        assertThat(registry.delete("/invitations/" + elsewhere, ADMIN).status()).isEqualTo(200);
        assertThat(registry.delete("/invitations/" + nobodys, ADMIN).status()).isEqualTo(200);
    }

    private static Answer invited(String name, String parent, String bearer) {
        return registry.post("/invitations", "{\"name\":\"%s\",\"parent_id\":\"%s\"}".formatted(name, parent), bearer);
    }

    private static String invitation(Answer made) {
        return made.text("invitation_id");
    }

    @Test
    void whoever_has_a_branch_says_its_house_rules_and_reads_those_for_everybody() {
        String branch = come("hal", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(lead));
        String looks = come("hob", "\"role\":\"viewer\",\"branch\":\"%s\"".formatted(lead));
        String global = ruled("\"global\"", "For all", ADMIN).text("id");
        String elsewhere = ruled("\"team\",\"scope_target\":\"%s\"".formatted(stranger), "Elsewhere", ADMIN)
                .text("id");

        String mine = ruled("\"team\",\"scope_target\":\"%s\"".formatted(lead), "Ours", branch)
                .text("id");

        assertThat(registry.get("/instructions", branch).json().findValuesAsText("title"))
                .containsExactly("For all", "Ours");
        assertThat(registry.get("/instructions?workspace_id=" + writer, looks)
                        .json()
                        .findValuesAsText("title"))
                .containsExactly("For all", "Ours");
        assertThat(registry.get("/instructions?workspace_id=" + stranger, branch)
                        .status())
                .isEqualTo(404);
        assertThat(ruled("\"global\"", "Coup", branch))
                .hasToString("403 {\"error\":\"this asks for the role of an operator\"}");
        assertThat(ruled("\"workspace\",\"scope_target\":\"%s\"".formatted(stranger), "Spell", branch))
                .hasToString("404 {\"error\":\"workspace not found\"}");
        String off = "{\"enabled\":false}";
        assertThat(registry.put("/instructions/" + mine, off, looks).status()).isEqualTo(403);
        assertThat(registry.put("/instructions/" + mine, off, branch).status()).isEqualTo(200);
        assertThat(registry.put("/instructions/" + global, off, branch).status())
                .isEqualTo(403);
        assertThat(registry.put("/instructions/" + elsewhere, off, branch))
                .hasToString("404 {\"error\":\"instruction not found\"}");
        assertThat(registry.delete("/instructions/" + elsewhere, branch).status())
                .isEqualTo(404);
        assertThat(registry.delete("/instructions/" + mine, branch).status()).isEqualTo(200);
        registry.delete("/instructions/" + global, ADMIN);
        registry.delete("/instructions/" + elsewhere, ADMIN);
    }

    private static Answer ruled(String scope, String title, String bearer) {
        return registry.post(
                "/instructions", "{\"scope\":%s,\"title\":\"%s\",\"content\":\"c\"}".formatted(scope, title), bearer);
    }

    @Test
    void of_a_rule_that_holds_from_above_a_branch_is_told_its_name_and_its_words_alone() {
        String above = registry.create("Holding");
        String team = registry.child("Team", above);
        String kim = come("pol", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(team));
        String rule = "{\"refuse_when\":\"target.name == 'Treasurer'\",\"says\":\"ask first\"}";
        registry.put("/policy/everywhere", rule, ADMIN);
        registry.put("/workspaces/" + above + "/policy/from-above", rule, ADMIN);
        registry.put("/workspaces/" + team + "/policy/ours", rule, kim);

        var seen = registry.get("/workspaces/" + team + "/policy", kim);
        assertThat(seen.status()).as(seen.body()).isEqualTo(200);

        assertThat(seen.json().findValuesAsText("name")).containsExactlyInAnyOrder("everywhere", "from-above", "ours");
        assertThat(seen.body()).doesNotContain("Holding", above).containsOnlyOnce("Treasurer");
        assertThat(seen.json().findValuesAsText("says")).containsOnly("ask first");
        assertThat(seen.json().findValuesAsText("branch_name")).contains("Team");
        assertThat(registry.get("/workspaces/" + team + "/policy", ADMIN).body())
                .contains("Holding", above)
                .doesNotContain("from_above");
        registry.delete("/policy/everywhere", ADMIN);
    }

    @Test
    void a_role_for_a_tenant_is_one_at_each_of_its_roots_whichever_these_are() {
        String first = tenants("acme", "Acme");
        String second = tenants("acme", "Acme too");
        String other = tenants("globex", "Globex");
        String below = registry.child("Below Acme", second);
        String tina = come("tina", "\"role\":\"operator\",\"tenant\":\"acme\"");

        assertThat(registry.get("/workspaces", tina).json().findValuesAsText("name"))
                .containsExactlyInAnyOrder("Acme", "Acme too", "Below Acme");
        assertThat(registry.patch("/workspaces/" + below, "{\"role\":\"w\"}", tina)
                        .status())
                .isEqualTo(200);
        assertThat(registry.get("/workspaces/" + other, tina).status()).isEqualTo(404);
        assertThat(registry.get("/people", tina).status()).isEqualTo(403);
        assertThat(registry.get("/people/me", tina).body())
                .contains("\"roles\":[{\"role\":\"operator\",\"tenant\":\"acme\"}]");

        registry.put("/workspaces/" + first + "/tenant", "{\"tenant\":\"globex\"}", ADMIN);
        assertThat(registry.get("/workspaces/" + first, tina).status()).isEqualTo(404);
        registry.put("/workspaces/" + other + "/tenant", "{\"tenant\":\"acme\"}", ADMIN);
        assertThat(registry.get("/workspaces/" + other, tina).status()).isEqualTo(200);

        String id = registry.get("/people/me", tina).text("id");
        registry.patch("/people/" + id, "{\"roles\":[{\"role\":\"viewer\",\"tenant\":\"globex\"}]}", ADMIN);
        assertThat(registry.get("/workspaces", tina).json().findValuesAsText("name"))
                .containsExactly("Acme");
        assertThat(registry.patch("/workspaces/" + first, "{\"role\":\"w\"}", tina)
                        .status())
                .isEqualTo(403);
    }

    @Test
    void nobody_of_a_branch_or_a_tenant_gives_its_root_another_tenant() {
        String root = tenants("umbrella", "Umbrella");
        tenants("hooli", "Hooli");
        String branch = come("bob", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(root));
        String tenant = come("tod", "\"role\":\"owner\",\"tenant\":\"umbrella\"");
        String operator = come("ora", "\"role\":\"operator\"");

        for (String bearer : new String[] {branch, tenant}) {
            for (String given : new String[] {"null", "\"hooli\""}) {
                assertThat(registry.put("/workspaces/" + root + "/tenant", "{\"tenant\":%s}".formatted(given), bearer))
                        .hasToString("403 {\"error\":\"this asks for the role of an operator of the organisation\"}");
            }
        }

        assertThat(tenantOf(root)).isEqualTo("umbrella");
        assertThat(registry.put("/workspaces/" + root + "/tenant", "{\"tenant\":\"hooli\"}", operator)
                        .status())
                .isEqualTo(200);
        assertThat(tenantOf(root)).isEqualTo("hooli");
    }

    private static String tenantOf(String id) {
        return registry.sql("SELECT tenant FROM workspaces WHERE id = $1", UUID.fromString(id))
                .iterator()
                .next()
                .getString(0);
    }

    @Test
    void an_owner_of_a_tenant_rules_no_organisation() {
        String tom = come("tom", "\"role\":\"owner\",\"tenant\":\"initech\"");

        assertThat(registry.get("/workspaces", tom).status())
                .as("of a tenant without a root")
                .isEqualTo(403);
        String root = tenants("initech", "Initech");
        assertThat(registry.get("/workspaces/" + root, tom).status()).isEqualTo(200);
        assertThat(registry.post("/org/tokens", "{}", tom).status()).isEqualTo(403);
        assertThat(registry.post("/people", "{\"login\":\"x\",\"role\":\"owner\"}", tom)
                        .status())
                .isEqualTo(403);
        assertThat(registry.get("/policy", tom).status()).isEqualTo(403);
        var token = registry.post("/people/me/tokens", "{\"name\":\"ci\",\"role\":\"viewer\"}", tom);
        assertThat(registry.get("/workspaces", token.text("auth_token")).json().findValuesAsText("name"))
                .containsExactly("Initech");
    }

    @Test
    void a_role_is_for_one_place_and_each_place_is_named_once() {
        for (String roles : new String[] {
            "\"role\":\"viewer\",\"branch\":\"%s\",\"tenant\":\"acme\"".formatted(lead),
            "\"role\":\"viewer\",\"tenant\":\"a b\"",
            "\"roles\":[{\"role\":\"viewer\",\"tenant\":\"a\"},{\"role\":\"owner\",\"tenant\":\"a\"}]"
        }) {
            assertThat(registry.post("/people", "{\"login\":\"nobody\",%s}".formatted(roles), ADMIN)
                            .status())
                    .as(roles)
                    .isEqualTo(400);
        }
    }

    private static String tenants(String tenant, String name) {
        String id = registry.create(name);
        registry.put("/workspaces/" + id + "/tenant", "{\"tenant\":\"%s\"}".formatted(tenant), ADMIN);
        return id;
    }

    @Test
    void a_role_that_is_taken_away_counts_no_more_at_once() {
        String session = come("ty", "\"role\":\"operator\"");
        String id = registry.get("/people/me", session).text("id");
        assertThat(registry.get("/workspaces", session).status()).isEqualTo(200);

        registry.patch("/people/" + id, "{\"role\":\"viewer\",\"branch\":\"%s\"}".formatted(lead), ADMIN);

        assertThat(registry.get("/workspaces/" + stranger, session).status()).isEqualTo(404);
        assertThat(registry.get("/workspaces/" + writer, session).status()).isEqualTo(200);
    }

    @Test
    void a_token_opens_no_more_than_its_role_its_branch_and_its_time() {
        String owner = come("tess", "\"role\":\"owner\"");
        var minted = registry.post(
                "/people/me/tokens",
                "{\"name\":\"ci\",\"role\":\"operator\",\"branch\":\"%s\",\"days\":1}".formatted(lead),
                owner);
        String token = minted.text("auth_token");

        assertThat(registry.patch("/workspaces/" + writer, "{\"role\":\"w\"}", token)
                        .status())
                .isEqualTo(200);
        assertThat(registry.get("/workspaces/" + stranger, token).status()).isEqualTo(404);
        assertThat(registry.get("/workspaces", token).body()).contains(writer).doesNotContain(stranger);
        assertThat(registry.post("/people/me/tokens", "{\"name\":\"more\"}", token)
                        .status())
                .isEqualTo(403);
        assertThat(registry.get("/people/me", token).text("credential")).isEqualTo("token:" + minted.text("prefix"));

        assertThat(registry.delete("/people/me/tokens/" + minted.text("id"), owner)
                        .status())
                .isEqualTo(200);
        assertThat(registry.get("/workspaces/" + writer, token).status()).isEqualTo(401);

        String day = registry.post("/people/me/tokens", "{\"name\":\"day\",\"days\":1}", owner)
                .text("auth_token");
        assertThat(holderOf(day)).isEqualTo(Holder.PERSON);
        CLOCK.advance(Duration.ofDays(1));
        assertThat(holderOf(day)).isEqualTo(Holder.NOBODY);
    }

    @Test
    void a_persons_token_makes_nothing_that_outlives_it() {
        String session = come("rosa", "\"role\":\"owner\"");
        String self = registry.get("/people/me", session).text("id");
        String helper =
                registry.get("/people/me", come("rolf", "\"role\":\"viewer\"")).text("id");
        String token = registry.post("/people/me/tokens", "{\"name\":\"ci\",\"role\":\"owner\",\"days\":30}", session)
                .text("auth_token");
        long people = registry.count("people");
        long organization = registry.count("org_tokens");
        long links = registry.count("people_links");
        long roles = registry.count("people_roles");
        String helpersPath = "/people/" + helper;
        assertThat(registry.patch(helpersPath, "{\"disabled\":true}", token).status())
                .isEqualTo(200); // what takes away stays open to it

        for (var answer : new Answer[] {
            registry.post("/org/tokens", "{\"name\":\"for ever\"}", token),
            registry.post("/people", "{\"login\":\"rosa2\",\"role\":\"owner\"}", token),
            registry.post("/people", "{\"login\":\"rosa3\",\"role\":\"operator\"}", token),
            registry.post("/people/" + self + "/link", "", token),
            registry.post(helpersPath + "/link", "", token),
            registry.patch(helpersPath, "{\"role\":\"owner\"}", token),
            registry.patch(helpersPath, "{\"disabled\":false}", token)
        }) {
            assertThat(answer)
                    .hasToString(
                            "403 {\"error\":\"an API token of a person cannot do this, because the result would outlive the token: sign in to the console, or use an organization token\"}");
        }

        assertThat(registry.count("people")).isEqualTo(people);
        assertThat(registry.count("org_tokens")).isEqualTo(organization);
        assertThat(registry.count("people_links")).isEqualTo(links);
        assertThat(registry.count("people_roles")).isEqualTo(roles);
        assertThat(registry.patch(helpersPath, "{\"disabled\":false,\"role\":\"operator\"}", session)
                        .status())
                .isEqualTo(200);
        var organisations = registry.post("/org/tokens", "{}", session);
        assertThat(organisations.status()).isEqualTo(200);
        assertThat(registry.post("/people/" + helper + "/link", "", organisations.text("auth_token"))
                        .status())
                .isEqualTo(201);
    }

    @Test
    void whoever_has_a_branch_and_a_persons_token_make_agents_tokens_of_a_year_at_most() {
        String path = "/workspaces/" + writer + "/tokens";
        String body = "{\"expires_in_seconds\":%d}";
        long year = Duration.ofDays(365).toSeconds();
        String branch = come("bert", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(lead));
        String operator = come("otto", "\"role\":\"operator\"");
        String token = registry.post("/people/me/tokens", "{\"name\":\"ci\",\"role\":\"operator\"}", operator)
                .text("auth_token");

        for (String bounded : new String[] {branch, token}) {
            assertThat(registry.post(path, body.formatted(year + 1), bounded))
                    .hasToString("400 {\"error\":\"expires_in_seconds must be between 1 and 31536000\"}");
            assertThat(registry.post(path, body.formatted(year), bounded).status())
                    .isEqualTo(201);
        }
        assertThat(registry.post(path, body.formatted(10 * year), operator).status())
                .isEqualTo(201);
    }

    @Test
    void a_token_of_an_agent_ends_with_the_right_of_the_person_of_a_branch_who_made_it() {
        String path = "/workspaces/" + writer + "/tokens";
        String operators =
                registry.post(path, "", come("ada", "\"role\":\"operator\"")).text("auth_token");
        for (String end : new String[] {
            "{\"disabled\":true}", "{\"roles\":[]}", "{\"role\":\"viewer\",\"branch\":\"%s\"}".formatted(lead), "DELETE"
        }) {
            String session = come(
                    "leaver",
                    "\"roles\":[{\"role\":\"operator\",\"branch\":\"%s\"},{\"role\":\"viewer\"}]".formatted(lead));
            String person = "/people/" + registry.get("/people/me", session).text("id");
            String made = registry.post(path, "", session).text("auth_token");
            String renamed = "{\"name\":\"L\",\"role\":\"operator\",\"branch\":\"%s\"}".formatted(lead);
            assertThat(registry.patch(person, renamed, ADMIN).status()).isEqualTo(200);
            assertThat(holderOf(made)).isEqualTo(Holder.WORKSPACE);

            var ended = end.equals("DELETE") ? registry.delete(person, ADMIN) : registry.patch(person, end, ADMIN);

            assertThat(ended.status()).as(end).isEqualTo(200);
            assertThat(holderOf(made)).as(end).isEqualTo(Holder.NOBODY);
            registry.delete(person, ADMIN);
        }
        assertThat(holderOf(operators)).isEqualTo(Holder.WORKSPACE);
        registry.delete(
                "/people/"
                        + registry.sql("SELECT id FROM people WHERE login = 'ada'")
                                .iterator()
                                .next()
                                .getUUID(0),
                ADMIN);
        assertThat(holderOf(operators)).isEqualTo(Holder.WORKSPACE);
    }

    @Test
    void a_token_of_an_agent_ends_with_the_right_of_the_person_of_a_tenant_who_made_it() {
        String root = tenants("hooli", "Hooli");
        String session = come("gavin", "\"role\":\"operator\",\"tenant\":\"hooli\"");
        String person = "/people/" + registry.get("/people/me", session).text("id");
        String path = "/workspaces/" + registry.child("Below", root) + "/tokens";
        String made = registry.post(path, "", session).text("auth_token");

        registry.patch(person, "{\"name\":\"Gavin B.\"}", ADMIN);
        assertThat(holderOf(made)).isEqualTo(Holder.WORKSPACE);
        registry.patch(person, "{\"role\":\"operator\",\"tenant\":\"globex\"}", ADMIN);
        assertThat(holderOf(made)).isEqualTo(Holder.NOBODY);
    }

    @Test
    void a_token_of_an_agent_ends_when_the_agent_leaves_the_tenant_or_the_branch_of_who_made_it() {
        String root = tenants("stark", "Stark");
        String below = registry.child("Below Stark", root);
        String path = "/workspaces/" + below + "/tokens";
        String ofTenant = registry.post(path, "", come("tony", "\"role\":\"operator\",\"tenant\":\"stark\""))
                .text("auth_token");
        String ofBranch = registry.post(
                        path, "", come("pepper", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(root)))
                .text("auth_token");
        String owners = registry.post(path, "", ADMIN).text("auth_token");

        assertThat(registry.put("/workspaces/" + root + "/tenant", "{\"tenant\":\"hydra\"}", ADMIN)
                        .status())
                .isEqualTo(200);
        assertThat(holderOf(ofTenant)).isEqualTo(Holder.NOBODY);
        assertThat(holderOf(ofBranch)).isEqualTo(Holder.WORKSPACE);

        assertThat(registry.patch("/workspaces/" + below, "{\"parent_id\":null}", ADMIN)
                        .status())
                .isEqualTo(200);
        assertThat(holderOf(ofBranch)).isEqualTo(Holder.NOBODY);
        assertThat(holderOf(owners)).isEqualTo(Holder.WORKSPACE);
    }

    @Test
    void an_invitation_of_a_person_of_a_branch_opens_nothing_while_they_may_not_act_there() {
        String branch = registry.create("Inviting");
        String role = "\"role\":\"operator\",\"branch\":\"%s\"".formatted(branch);
        String session = come("igor", role);
        String person = "/people/" + registry.get("/people/me", session).text("id");
        String joined = invited("Igors first", branch, session).text("id");
        String open = invited("Igors second", branch, session).text("id");
        String last = invited("Igors third", branch, session).text("id");
        String token = join(joined).text("auth_token");

        for (String end : new String[] {
            "{\"disabled\":true}", "{\"roles\":[]}", "{\"role\":\"viewer\",\"branch\":\"%s\"}".formatted(branch)
        }) {
            assertThat(registry.patch(person, end, ADMIN).status()).as(end).isEqualTo(200);
            assertThat(join(open)).as(end).hasToString("401 {\"error\":\"missing workspace auth token\"}");
            assertThat(registry.get("/invitations", ADMIN).body()).as(end).doesNotContain("Igors");
            assertThat(registry.patch(person, "{\"disabled\":false,%s}".formatted(role), ADMIN)
                            .status())
                    .isEqualTo(200);
        }
        assertThat(join(open).text("auth_token")).isNotEmpty();
        assertThat(registry.delete(person, ADMIN).status()).isEqualTo(200);
        assertThat(join(last)).hasToString("401 {\"error\":\"missing workspace auth token\"}");

        assertThat(holderOf(token))
                .as("who has joined is an agent of the organization")
                .isEqualTo(Holder.WORKSPACE);
    }

    @Test
    void an_invitation_of_an_operator_of_the_organization_stays_when_they_leave() {
        String branch = registry.create("Invited for all");
        String session = come("oskar", "\"role\":\"operator\"");
        String open = invited("Of the organization", branch, session).text("id");

        registry.delete("/people/" + registry.get("/people/me", session).text("id"), ADMIN);

        assertThat(join(open).text("auth_token")).isNotEmpty();
    }

    private static Answer join(String invited) {
        return registry.register(invited, "remote://no-inbound", "{}", null);
    }

    @Test
    void who_may_act_at_a_workspace_is_answered_for_each_as_their_roles_are_now() {
        String session = come("mia", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(lead));
        var mia = UUID.fromString(registry.get("/people/me", session).text("id"));
        var looks = come("max", "\"role\":\"viewer\"");
        var max = UUID.fromString(registry.get("/people/me", looks).text("id"));
        var question = new MayAct(List.of(
                new MayAct.Asked(mia, UUID.fromString(writer)),
                new MayAct.Asked(mia, UUID.fromString(stranger)),
                new MayAct.Asked(max, UUID.fromString(writer)),
                new MayAct.Asked(UUID.randomUUID(), UUID.fromString(writer))));
        assertThat(registry.bus.call(MayAct.CONTRACT, question).await().may())
                .containsExactly(true, false, false, false);

        registry.patch("/people/" + mia, "{\"disabled\":true}", ADMIN);

        assertThat(registry.bus.call(MayAct.CONTRACT, question).await().may()).containsOnly(false);
    }

    @Test
    void a_secret_says_with_which_right_it_was_set_last() {
        String agent =
                registry.post("/workspaces/" + writer + "/tokens", "", ADMIN).text("auth_token");
        String branch = come("sam", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(lead));
        String operator = come("sue", "\"role\":\"operator\"");
        String path = "/workspaces/" + writer + "/secrets";
        String secret = "{\"key\":\"%s\",\"value\":\"v\"}";

        registry.post(path, secret.formatted("OPENAI_BASE_URL"), agent);
        registry.post(path, secret.formatted("OPENAI_API_KEY"), branch);
        registry.post(path, secret.formatted("GEMINI_API_KEY"), operator);
        registry.post(path, secret.formatted("GEMINI_API_KEY"), agent);
        registry.post(path, secret.formatted("ANTHROPIC_API_KEY"), operator);
        registry.post(path, secret.formatted("ANTHROPIC_BASE_URL"), ADMIN);

        var bundle = registry.bus
                .call(SecretsFor.CONTRACT, new SecretsFor(UUID.fromString(writer)))
                .await();
        assertThat(bundle.setBy())
                .containsEntry("OPENAI_BASE_URL", 0)
                .containsEntry("OPENAI_API_KEY", 1)
                .containsEntry("GEMINI_API_KEY", 0)
                .containsEntry("ANTHROPIC_API_KEY", 2)
                .containsEntry("ANTHROPIC_BASE_URL", 2);
        assertThat(bundle.isSetByLess("OPENAI_BASE_URL", "OPENAI_API_KEY")).isTrue();
        assertThat(bundle.isSetByLess("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"))
                .isFalse();
    }

    @Test
    void nobody_makes_a_token_that_opens_more_than_they_may() {
        String viewer = come("vera", "\"role\":\"viewer\"");
        String branch = come("bea", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(lead));

        assertThat(registry.post("/people/me/tokens", "{\"name\":\"t\",\"role\":\"operator\"}", viewer)
                        .status())
                .isEqualTo(403);
        assertThat(registry.post(
                                "/people/me/tokens",
                                "{\"name\":\"t\",\"role\":\"operator\",\"branch\":\"%s\"}".formatted(stranger),
                                branch)
                        .status())
                .isEqualTo(404);
        assertThat(registry.post("/people/me/tokens", "{\"name\":\"t\",\"role\":\"operator\"}", branch)
                        .status())
                .isEqualTo(201);
    }

    @Test
    void the_platform_writes_who_decided_whatever_the_body_says() {
        String session = come("dee", "\"role\":\"operator\"");
        String approval = registry.post("/workspaces/" + writer + "/approvals", "{\"action\":\"pay\"}", ADMIN)
                .text("approval_id");

        registry.post(
                "/workspaces/" + writer + "/approvals/" + approval + "/decide",
                "{\"decision\":\"approved\",\"decided_by\":\"somebody else\"}",
                session);

        var row = registry.sql("SELECT decided_by, decided_with FROM approvals WHERE id = '%s'".formatted(approval))
                .iterator()
                .next();
        assertThat(row.getString(0)).isEqualTo("dee");
        assertThat(row.getString(1)).isEqualTo("person:dee");
        var told = actorOf("approval.approved");
        assertThat(told.path("kind").asText()).isEqualTo("person");
        assertThat(told.path("name").asText()).isEqualTo("dee");
        assertThat(told.path("credential").asText()).startsWith("session:");
    }

    private static String come(String login, String role) {
        CLOCK.advance(Duration.ofMinutes(1)); // links are counted
        return persons.come(login, role);
    }

    /** Read anew, whatever is remembered. */
    private static Holder holderOf(String token) {
        return registry.bus
                .call(VerifyToken.CONTRACT, new VerifyToken(Credentials.hashOf(token), null))
                .await()
                .holder();
    }

    private static JsonNode actorOf(String verb) {
        var row = registry.sql("SELECT entry FROM log.audit WHERE verb = $1 ORDER BY id DESC LIMIT 1", verb)
                .iterator()
                .next();
        return new RunningRegistry.Answer(200, row.getString(0)).json().path("actor");
    }
}
