package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code GET /explain}: which rule decides, in words. */
class ExplainingWhoMayTalkTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(new MovableClock());
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void near_in_the_org_chart_a_message_is_let_through() {
        String lead = reached("Lead", null);
        String writer = reached("Writer", lead);
        String reader = reached("Reader", lead);
        String other = reached("Other", null);

        assertThat(explained(writer, reader))
                .isEqualTo("true, org chart: Writer may talk to Reader: both are below Lead");
        assertThat(explained(writer, lead)).isEqualTo("true, org chart: Writer may talk to Lead: it is its parent");
        assertThat(explained(lead, writer)).isEqualTo("true, org chart: Lead may talk to Writer: it is its child");
        assertThat(explained(lead, other)).isEqualTo("true, org chart: Lead may talk to Other: both are roots");
        assertThat(explained(lead, lead)).isEqualTo("true, self: Lead may write to itself");
        assertThat(explained("person", writer)).isEqualTo("true, person: a person may write to Writer");
    }

    @Test
    void further_away_it_is_not_and_where_both_are_is_said() {
        String lead = reached("Lead", null);
        String deep = reached("Deep", reached("Writer", lead));

        assertThat(explained(deep, lead))
                .isEqualTo("false, org chart: a workspace talks to its parent, its children and its siblings:"
                        + " Deep is below Writer, Lead is a root");
    }

    @Test
    void the_first_rule_that_refuses_is_named() {
        String lead = reached("Lead", null);
        String writer = reached("Writer", lead);
        String reader = reached("Reader", lead);
        String nobody = UUID.randomUUID().toString();
        assertThat(explained(writer, nobody)).isEqualTo("false, existence: no workspace has the id " + nobody);
        assertThat(explained(nobody, writer)).isEqualTo("false, existence: no workspace has the id " + nobody);

        assertThat(explained("person", registry.child("Unheard", lead)))
                .isEqualTo("false, address: Unheard takes no messages now: it is provisioning");
        registry.patch("/workspaces/" + reader + "/budget", "{\"budget_limit\":0}", ADMIN);
        assertThat(explained(writer, reader)).isEqualTo("false, budget: Reader has spent its budget of this month");
        registry.sql("UPDATE workspaces SET status = 'paused' WHERE id = $1", UUID.fromString(writer));
        assertThat(explained(writer, lead))
                .isEqualTo("false, pause: Writer is paused, and may only bring the results of work it had");
        registry.sql("UPDATE workspaces SET admitted = false WHERE id = $1", UUID.fromString(reader));
        assertThat(explained(writer, reader))
                .isEqualTo(
                        "false, admission: Reader registered by itself and nobody has admitted it, so it is near nobody");
        registry.post("/workspaces/" + writer + "/quarantine", "", ADMIN);
        assertThat(explained(writer, reader)).startsWith("false, quarantine: Writer is quarantined");
        assertThat(explained("person", writer)).startsWith("false, quarantine: Writer is quarantined");
    }

    @Test
    void it_is_said_to_administrators_alone_and_of_a_tool_whose_it_is_to_say() {
        String lead = reached("Lead", null);
        String path = "/explain?caller=" + lead + "&target=" + lead;

        assertThat(registry.get(path, registry.mint(lead)).status()).isEqualTo(401);
        assertThat(registry.get(path, null).status()).isEqualTo(401);
        assertThat(registry.get(path + "&tool=fetch", ADMIN).text("tool")).contains("fetch", "config.yaml");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "caller=person|target must be the id of a workspace",
                "caller=person&target=x|target must be the id of a workspace",
                "target=ID|caller must be the id of a workspace, or person",
                "caller=Lead&target=ID|caller must be the id of a workspace, or person",
                "caller=ID&target=ID&tool=LONG|tool must be a name of at most 100 characters"
            })
    void what_is_no_question_is_refused(String query, String reason) {
        String asked = query.replace("ID", UUID.randomUUID().toString()).replace("LONG", "x".repeat(101));

        var answer = registry.get("/explain?" + asked, ADMIN);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text("error")).isEqualTo(reason);
    }

    private static String reached(String name, @Nullable String parent) {
        String id = parent == null ? registry.create(name) : registry.child(name, parent);
        registry.sql(
                "UPDATE workspaces SET status = 'online', endpoint_url = 'http://127.0.0.1:9' WHERE id = $1",
                UUID.fromString(id));
        return id;
    }

    private static String explained(String caller, String target) {
        var answer = registry.get("/explain?caller=%s&target=%s".formatted(caller, target), ADMIN);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return "%s, %s: %s".formatted(answer.json().path("allowed"), answer.text("rule"), answer.text("says"));
    }
}
