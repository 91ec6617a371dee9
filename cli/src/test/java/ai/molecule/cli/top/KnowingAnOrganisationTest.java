package ai.molecule.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who is there and how they are, from the list and from what is heard. */
class KnowingAnOrganisationTest {

    private final Organisation organisation = new Organisation();

    @Test
    void events_tell_who_comes_changes_moves_and_goes() {
        organisation.replace(list(agent("a", "Lead", null), agent("b", "Writer", "a")));

        hear("WORKSPACE_PROVISIONING", "c", JsonObject.of("name", "Mailer", "parent_id", "a", "runtime", "langgraph"));
        assertThat(tree()).containsExactly("Lead online", "├ Writer online", "└ Mailer provisioning");

        hear("WORKSPACE_ONLINE", "c", new JsonObject());
        hear("WORKSPACE_UPDATED", "b", JsonObject.of("name", "Author", "parent_id", "a", "status", "online"));
        hear("WORKSPACE_MOVED", "c", JsonObject.of("old_parent_id", "a", "new_parent_id", "b"));
        assertThat(tree()).containsExactly("Lead online", "└ Author online", "  └ Mailer online");

        hear("WORKSPACE_PAUSED", "b", new JsonObject());
        hear("WORKSPACE_QUARANTINED", "c", new JsonObject());
        assertThat(tree()).containsExactly("Lead online", "└ Author paused", "  └ Mailer quarantined");

        hear("WORKSPACE_REMOVED", "c", new JsonObject());
        assertThat(tree()).containsExactly("Lead online", "└ Author paused");
        assertThat(organisation.isIncomplete()).isFalse();
    }

    @Test
    void work_costs_words_and_what_waits_are_known_of_each() {
        organisation.replace(list(agent("a", "Lead", null)
                .put("max_concurrent_tasks", 3)
                .put("monthly_spend", 12)
                .put("budget_limit", 500)));

        hear("TASK_UPDATED", "a", JsonObject.of("active_tasks", 2, "current_task", "plan\nthe year"));
        hear("DELEGATION_STATUS", "x", JsonObject.of("delegation_id", "d", "target_id", "a", "status", "queued"));
        hear("AGENT_MESSAGE", "a", JsonObject.of("message", "I begin"));
        organisation.costs(JsonArray.of(JsonObject.of("key", "a", "cost_micros", 1_250_000L)));
        var seat = organisation.find("a").orElseThrow();
        assertThat(seat.task()).isEqualTo("plan the year");
        assertThat(seat.load()).isEqualTo("2/3+1");
        assertThat(seat.words()).isEqualTo("I begin");
        assertThat(seat.spent()).isEqualTo(1.25);
        assertThat(seat.budget()).isEqualTo(5);

        hear("DELEGATION_COMPLETE", "x", JsonObject.of("delegation_id", "d", "target_id", "a"));
        hear("WORKSPACE_OFFLINE", "a", new JsonObject());
        assertThat(seat.load()).isEqualTo("0/3");
        assertThat(seat.task()).isEmpty();
    }

    @Test
    void what_was_not_said_or_is_no_text_is_nothing() {
        organisation.replace(list(agent("a", "Lead", null)));

        hear("WORKSPACE_DEGRADED", "a", new JsonObject().putNull("sample_error"));
        hear("WORKSPACE_PROVISION_FAILED", "a", JsonObject.of("error", JsonObject.of("x", 1)));
        hear("AGENT_MESSAGE", "a", new JsonObject());
        hear("DELEGATION_STATUS", "a", JsonObject.of("status", "queued"));

        assertThat(tree()).containsExactly("Lead failed");
        assertThat(organisation.find("a").orElseThrow().error()).isEmpty();
    }

    @Test
    void somebody_unknown_makes_the_list_incomplete_until_it_is_read_again() {
        hear("WORKSPACE_ONLINE", "a", new JsonObject());
        assertThat(organisation.isIncomplete()).isTrue();

        organisation.replace(list(agent("a", "Lead", null)));
        assertThat(organisation.isIncomplete()).isFalse();
    }

    @Test
    void a_filter_finds_by_name_status_and_task_and_shows_the_way() {
        organisation.replace(list(
                agent("a", "Lead", null),
                agent("b", "Writer", "a")
                        .put("current_task", "letters to members")
                        .put("active_tasks", 1),
                agent("c", "Mailer", "b"),
                agent("d", "Cook", null)));

        organisation.filter("LETTERS online");
        assertThat(tree()).containsExactly("Lead online", "└ Writer online");
        assertThat(organisation.rows()).extracting(Organisation.Row::found).containsExactly(false, true);

        hear("TASK_UPDATED", "b", JsonObject.of("active_tasks", 0, "current_task", ""));
        assertThat(tree()).isEmpty();
    }

    @Test
    void who_is_folded_hides_those_below_and_says_how_many() {
        organisation.replace(list(agent("a", "Lead", null), agent("b", "Writer", "a"), agent("c", "Mailer", "b")));

        organisation.fold("a", true);

        assertThat(tree()).containsExactly("Lead online");
        assertThat(organisation.rows().getFirst().below()).isEqualTo(2);
    }

    @Test
    void a_circle_and_an_unknown_leader_lose_nobody() {
        organisation.replace(list(agent("a", "One", "b"), agent("b", "Other", "a"), agent("c", "Child", "gone")));

        assertThat(tree()).containsExactly("Child online", "One online", "└ Other online");
    }

    @Test
    void ten_thousand_in_one_chain_and_ten_thousand_side_by_side_are_shown() {
        var chain = new JsonArray();
        IntStream.range(0, 10_000).forEach(n -> chain.add(agent("i" + n, "Agent " + n, n == 0 ? null : "i" + (n - 1))));
        organisation.replace(chain);
        assertThat(organisation.rows()).hasSize(10_000);
        assertThat(organisation.rows().getLast().before()).hasSizeLessThan(40);

        var flat = new JsonArray();
        IntStream.range(0, 10_000).forEach(n -> flat.add(agent("i" + n, "Agent " + n, n == 0 ? null : "i0")));
        organisation.replace(flat);
        assertThat(organisation.rows()).hasSize(10_000);
        assertThat(organisation.below("i0")).isEqualTo(9_999);
    }

    private void hear(String type, String id, JsonObject payload) {
        organisation.hear(type, id, payload);
    }

    private List<String> tree() {
        return organisation.rows().stream()
                .map(row -> row.before() + row.seat().name() + " " + row.seat().status())
                .toList();
    }

    static JsonObject agent(String id, String name, @Nullable String parent) {
        return new JsonObject()
                .put("id", id)
                .put("name", name)
                .put("parent_id", parent)
                .put("status", "online")
                .put("runtime", "langgraph")
                .put("active_tasks", 0)
                .put("max_concurrent_tasks", 1);
    }

    static JsonArray list(JsonObject... agents) {
        return JsonArray.of((Object[]) agents);
    }
}
