package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An agent whose program has a login of its own: nobody knows what it costs, so nowhere is it said to cost nothing. */
class WhatIsNotMeteredTest extends VisitToThePage {

    private String lead;
    private String coder;

    @BeforeEach
    void organisation() {
        lead = platform.add("Team Lead", "Asks the team", null, "online");
        coder = platform.add("Coder", "Writes it", lead, "online");
        platform.set(coder, "metered", false);
    }

    @Test
    void its_card_its_settings_and_the_sum_say_so() {
        platform.set(lead, "monthly_spend", 120);
        browser.go(platform.url());

        assertThat(browser.named("button.card", "Coder").getText()).contains("not metered");
        assertThat(browser.find(".sums .spend").getText()).isEqualTo("$1.20 this month, 1 not metered");
        settingsOf("Coder");
        browser.see("not metered, no limit. Its program has a login of its own");
        browser.named("button", "List").click();
        assertThat(browser.named("[role=treeitem]", "Coder").getDomAttribute("aria-label"))
                .contains("not metered")
                .doesNotContain("$");
        browser.seeNot("$0.00");
    }

    @Test
    void where_nobody_is_metered_no_sum_is_told() {
        platform.set(lead, "metered", false);
        browser.go(platform.url());

        browser.named("button.card", "Coder");
        assertThat(browser.find(".sums .spend").getText()).isEqualTo("not metered");
    }

    @Test
    void what_it_spent_at_the_platforms_models_stands_beside_it() {
        platform.set(coder, "monthly_spend", 75);
        settingsOf("Coder");

        browser.see("$0.75 + not metered, no limit");
        assertThat(browser.find(".sums .spend").getText()).isEqualTo("$0.75 this month, 1 not metered");
        assertThat(browser.find(".team .sum").getText()).contains("$0.75+");
    }

    @Test
    void one_that_shows_its_card_while_it_is_looked_at_is_not_metered_from_then_on() {
        platform.set(coder, "metered", true);
        settingsOf("Coder");
        browser.see("$0.00, no limit");

        var login = JsonObject.of("uri", "urn:molecule:a2a:own-login", "required", false);
        platform.recorded(
                "AGENT_CARD_UPDATED",
                coder,
                JsonObject.of(
                        "agent_card", JsonObject.of("capabilities", JsonObject.of("extensions", JsonArray.of(login)))));

        browser.see("not metered, no limit");
        browser.seeNot("$0.00, no limit");
    }

    @Test
    void work_that_it_has_and_work_of_which_it_has_a_part_say_so() {
        platform.work.asked("Mend the build", coder, "done", 40);
        platform.work.asked("Ship it", lead, "done", 60).task(coder, lead, "ok", 5, 20, "Build it");
        browser.go(platform.url() + "#work");
        assertThat(browser.named("button.piece", "Mend the build").getText()).contains("not metered");

        browser.named("button.piece", "Ship it").click();

        browser.see("2 agents · 1 message · not metered");
        browser.seeNot("Cost unavailable");
        browser.seeNot("$0.00");
    }

    @Test
    void what_the_platform_says_of_a_piece_of_work_counts_more_than_who_has_it() {
        platform.work.asked("Mend the build", lead, "done", 40).costs(0.12, 1.0, false);
        platform.work.asked("Sort the archive", lead, "done", 60).costs(null, 2.0, false);
        platform.work.asked("Write it up", coder, "done", 80).costs(0.5, 1.0, true);

        browser.go(platform.url() + "#work");

        assertThat(browser.named("button.piece", "Mend the build").getText())
                .contains("$0.12 + not metered, at most $1.00");
        assertThat(browser.named("button.piece", "Sort the archive").getText()).contains("not metered, at most $2.00");
        assertThat(browser.named("button.piece", "Write it up").getText())
                .contains("$0.50 of $1.00")
                .doesNotContain("not metered");
    }
}
