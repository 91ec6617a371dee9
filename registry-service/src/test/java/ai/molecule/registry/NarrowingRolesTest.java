package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
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
