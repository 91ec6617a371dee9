package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What models cost stands on the map, in the list and in the sums, down to less than a cent: what cost something never reads $0.00. */
class SpendingTest extends VisitToThePage {

    private String lead;
    private String coder;

    @BeforeEach
    void organisation() {
        lead = platform.add("Team Lead", "Asks the team", null, "online");
        coder = platform.add("Coder", "Writes it", lead, "online");
    }

    private void used(JsonObject... rows) {
        platform.answers.put("/usage", JsonObject.of("rows", new JsonArray(java.util.List.of(rows))));
    }

    private static JsonObject row(String agent, @Nullable Integer micros, int unpriced) {
        return JsonObject.of("key", agent, "calls", 3, "cost_micros", micros, "unpriced_calls", unpriced);
    }

    @Test
    void what_models_cost_is_on_the_card_in_the_settings_and_in_the_sum() {
        used(row(coder, 420_000, 0));
        browser.go(platform.url()).see("$0.42 this month");

        assertThat(browser.named("button.card", "Coder").getText()).contains("$0.42");
        settingsOf("Coder");
        browser.see("$0.42, no limit");
        browser.assertCalm();
    }

    @Test
    void what_cost_it_is_read_by_agent_team_model_and_day() {
        used(row(coder, 420_000, 0).put("tokens_in", 12_300).put("tokens_out", 900), row(lead, 0, 0));
        browser.go(platform.url()).named("button.spend", "$0.42 this month").click();

        browser.see("Usage");
        browser.see("3 calls · 12 k in, 900 out");
        browser.picture("costs");
        browser.assertCalm();
        assertThat(browser.seriousFindings()).isEmpty();
        browser.script("const by = document.querySelector('.cost-of select'); by.value = 'team';"
                + " by.dispatchEvent(new Event('change'))");
        browser.see("Team of Coder");
        browser.named(".costs button", "Team of Coder").click();
        browser.see("$0.42, no limit"); // who opens one is taken to it
    }

    @Test
    void less_than_a_cent_is_not_nothing() {
        used(row(coder, 3_100, 0));
        browser.go(platform.url()).see("<$0.01 this month");

        assertThat(browser.named("button.card", "Coder").getText()).contains("<$0.01");
        browser.seeNot("$0.00");
        browser.named("button", "List").click();
        assertThat(browser.named("[role=treeitem]", "Coder").getDomAttribute("aria-label"))
                .contains("less than $0.01 this month");
    }

    @Test
    void what_an_agent_reports_itself_is_not_added_to_what_its_models_cost() {
        platform.set(coder, "monthly_spend", 75);
        used(row(coder, 420_000, 0), row(lead, 1_000_000, 0));

        browser.go(platform.url()).see("$1.75 this month");
        assertThat(browser.find(".team > .sum").getText()).contains("$1.75"); // who leads it included
    }

    @Test
    void of_an_organisation_that_may_spend_so_much_a_day_it_says_how_much_of_that_it_spent_today() {
        used(row(coder, 420_000, 0), row(lead, 1_200_000, 0));
        platform.answers.put(
                "/workspaces/" + lead + "/budget", JsonObject.of("team_limit", 2000, "team_period", "day"));
        browser.go(platform.url()).see("$1.20 of $20 today");

        platform.answers.put(
                "/workspaces/" + lead + "/budget", JsonObject.of("team_limit", 2050, "team_period", "month"));
        browser.go("about:blank").go(platform.url()).see("$1.62 of $20.50 this month");
        browser.assertCalm();
    }

    @Test
    void what_a_team_may_spend_is_said_in_the_settings_of_its_leader() {
        settingsOf("Team Lead");
        browser.find("input[name=team]").sendKeys("20");
        browser.named("select[name=period] option", "a day").click();
        browser.named("section:has(input[name=team]) form:last-of-type button", "Save")
                .click();

        browser.see("Limit saved.");
        assertThat(platform.changes)
                .containsExactly("PATCH /workspaces/" + lead + "/budget {\"team_limit\":2000,\"team_period\":\"day\"}");
    }

    @Test
    void calls_of_a_model_without_a_price_are_not_said_to_be_free() {
        String writer = platform.add("Writer", "Writes", lead, "online");
        used(row(coder, 420_000, 2), row(writer, null, 1));

        browser.go(platform.url()).see("$0.42 this month, 2 not metered");

        assertThat(browser.named("button.card", "Coder").getText()).contains("$0.42 + price unknown");
        assertThat(browser.named("button.card", "Writer").getText()).contains("price unknown");
        browser.seeNot("$0.00");
    }
}
