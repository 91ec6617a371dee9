package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.CheckPassport.Checked;
import ai.molecule.common.bus.registry.CheckPassport.Standing;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.bus.registry.IssuePassport.Issued;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Passports that are believed no more, and what is refused with them; and what is asked under one says so. */
class RevokingPassportsTest {

    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    private static String lead = "";
    private static String writer = "";
    private static String editor = "";

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(CLOCK);
        lead = registry.create("Lead");
        writer = registry.child("Writer", lead);
        editor = registry.child("Editor", lead);
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    /** What is revoked of somebody is from before then. */
    @BeforeEach
    void later() {
        CLOCK.advance(Duration.ofSeconds(2));
    }

    @Test
    void one_ends_with_all_that_was_handed_on_from_it() {
        var first = first("person:kim", null);
        var second = handedOn(first, lead, writer);
        var third = handedOn(second, writer, editor);
        var other = first("person:kim", "another");

        var revoked = revoke("passport", second.id().toString());

        assertThat(revoked.status()).as(revoked.body()).isEqualTo(201);
        assertThat(revoked.text("revoked_by")).isEqualTo("admin-token");
        assertThat(standing(first, lead)).isEqualTo(Standing.HOLDS);
        assertThat(standing(second, writer)).isEqualTo(Standing.REVOKED);
        assertThat(standing(third, editor)).isEqualTo(Standing.REVOKED);
        assertThat(standing(other, lead)).isEqualTo(Standing.HOLDS);
        assertThatThrownBy(() -> handedOn(second, writer, editor)).hasMessageContaining("the passport was revoked");
        assertThatThrownBy(() -> handedOn(third, editor, writer)).hasMessageContaining("the passport was revoked");
        assertThat(handedOn(first, lead, editor).says()).startsWith("kim asked Lead, Lead asked Editor");
    }

    @Test
    void it_can_be_shown_itself_and_is_listed_and_recorded() {
        var first = first("person:kim", null);

        revoke("passport", first.token());

        var newest = registry.get("/passports/revocations", ADMIN).json().get(0);
        assertThat(newest.path("value").asText()).isEqualTo(first.id().toString());
        assertThat(newest.path("reason").asText()).isEqualTo("it leaked");
        assertThat(registry.sql(
                        "SELECT 1 FROM log.audit WHERE verb = 'passport_revocation.created' AND object = $1 AND actor_kind = 'administrator'",
                        first.id().toString()))
                .hasSize(1);
    }

    @Test
    void all_of_a_piece_of_work_end_and_none_is_begun_for_it() {
        String work = UUID.randomUUID().toString();
        var first = first("person:kim", work);

        revoke("work", work);

        assertThat(standing(first, lead)).isEqualTo(Standing.REVOKED);
        assertThatThrownBy(() -> first("person:kim", work)).hasMessageContaining("revoked");
        assertThat(standing(first("person:kim", null), lead)).isEqualTo(Standing.HOLDS);
    }

    @Test
    void of_somebody_those_from_before_end() {
        var first = first("person:lou", null);
        var kims = first("person:kim", null);

        revoke("principal", "person:lou");

        assertThat(standing(first, lead)).isEqualTo(Standing.REVOKED);
        assertThat(standing(kims, lead)).isEqualTo(Standing.HOLDS);
        CLOCK.advance(Duration.ofSeconds(1));
        assertThat(standing(first("person:lou", null), lead)).isEqualTo(Standing.HOLDS);
    }

    @Test
    void who_is_shut_out_or_deleted_allows_nothing_any_more() {
        for (String how : new String[] {"disabled", "deleted"}) {
            String login = "dee." + how;
            String id = registry.post("/people", "{\"login\":\"%s\",\"role\":\"operator\"}".formatted(login), ADMIN)
                    .text("id");
            var first = first("person:" + login, null);
            assertThat(standing(first, lead)).isEqualTo(Standing.HOLDS);

            var done = how.equals("disabled")
                    ? registry.patch("/people/" + id, "{\"disabled\":true}", ADMIN)
                    : registry.delete("/people/" + id, ADMIN);

            assertThat(done.status()).as(done.body()).isEqualTo(200);
            assertThat(registry.sql("SELECT 1 FROM registry.passport_revocations WHERE value = $1", "person:" + login))
                    .as(how)
                    .hasSize(1);
        }
    }

    @Test
    void what_is_none_or_another_workspaces_is_worth_nothing() {
        var first = first("person:kim", null);

        assertThat(standing(first, writer)).isEqualTo(Standing.NONE);
        assertThat(checked("x.y.z", lead)).isEqualTo(Checked.NONE);
        var brief = registry.bus
                .call(
                        IssuePassport.CONTRACT,
                        IssuePassport.first(
                                UUID.fromString(lead),
                                "person:kim",
                                null,
                                null,
                                CLOCK.instant().plusSeconds(60),
                                null))
                .await();
        assertThat(standing(brief, lead)).isEqualTo(Standing.HOLDS);
        CLOCK.advance(Duration.ofSeconds(61));
        assertThat(standing(brief, lead)).isEqualTo(Standing.OVER);
    }

    @Test
    void an_approval_names_the_passport_and_on_whose_behalf_it_is_asked_and_none_is_asked_under_a_revoked_one() {
        var first = first("person:kim", null);
        String token = registry.mint(lead);

        var asked = approval(token, "deploy", first.token());
        assertThat(approval(token, "in its own name", null).status()).isEqualTo(201);
        assertThat(approval(token, "under nothing", "made.up.one").status()).isEqualTo(201);

        var named = listed("deploy");
        assertThat(named.path("on_behalf_of").asText()).isEqualTo("person:kim");
        assertThat(named.path("passport_id").asText()).isEqualTo(first.id().toString());
        assertThat(listed("in its own name").has("on_behalf_of")).isFalse();
        assertThat(listed("under nothing").has("passport_id")).isFalse();
        var pending = registry.get("/approvals/pending", ADMIN).json();
        assertThat(pending.findValuesAsText("on_behalf_of")).containsExactly("person:kim");
        assertThat(registry.events(lead))
                .anyMatch(event -> event.startsWith("APPROVAL_REQUESTED")
                        && event.contains(asked.text("approval_id"))
                        && event.contains("\"on_behalf_of\":\"person:kim\""));

        revoke("passport", first.id().toString());
        assertThat(approval(token, "again", first.token())).hasToString("403 {\"error\":\"the passport was revoked\"}");
    }

    @Test
    void what_is_wrong_is_said() {
        for (String body : new String[] {
            "{}",
            "{\"kind\":\"passport\"}",
            "{\"kind\":\"other\",\"value\":\"x\"}",
            "{\"kind\":\"work\",\"value\":\"x\"}",
            "{\"kind\":\"principal\",\"value\":\" \"}",
            "{\"kind\":\"principal\",\"value\":\"%s\"}".formatted("x".repeat(201)),
            "{\"kind\":\"principal\",\"value\":\"x\",\"reason\":\"%s\"}".formatted("x".repeat(501))
        }) {
            assertThat(registry.post("/passports/revocations", body, ADMIN).status())
                    .as(body)
                    .isEqualTo(400);
        }
        assertThat(revoke("passport", "x.y.z").status()).isEqualTo(403);
    }

    private static JsonNode listed(String action) {
        for (var approval :
                registry.get("/workspaces/" + lead + "/approvals", ADMIN).json()) {
            if (approval.path("action").asText().equals(action)) {
                return approval;
            }
        }
        throw new AssertionError(action);
    }

    private static RunningRegistry.Answer approval(String token, String action, @Nullable String passport) {
        String body = "{\"action\":\"%s\"}".formatted(action);
        String path = "/workspaces/" + lead + "/approvals";
        return passport == null
                ? registry.post(path, body, token)
                : registry.send(HttpMethod.POST, path, body, token, "X-Molecule-Passport", passport);
    }

    private static RunningRegistry.Answer revoke(String kind, String value) {
        return registry.post(
                "/passports/revocations",
                "{\"kind\":\"%s\",\"value\":\"%s\",\"reason\":\"it leaked\"}".formatted(kind, value),
                ADMIN);
    }

    private static Issued first(String principal, @Nullable String work) {
        return registry.bus
                .call(
                        IssuePassport.CONTRACT,
                        IssuePassport.first(UUID.fromString(lead), principal, work, null, null, null))
                .await();
    }

    private static Issued handedOn(Issued parent, String from, String to) {
        return registry.bus
                .call(
                        IssuePassport.CONTRACT,
                        IssuePassport.message(UUID.fromString(to), UUID.fromString(from), parent.token()))
                .await();
    }

    private static Standing standing(Issued passport, String holder) {
        return checked(passport.token(), holder).standing();
    }

    private static Checked checked(String token, String holder) {
        return registry.bus
                .call(CheckPassport.CONTRACT, new CheckPassport(UUID.fromString(holder), token))
                .await();
    }
}
