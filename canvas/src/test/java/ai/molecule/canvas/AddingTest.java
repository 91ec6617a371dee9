package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Adding agents, and what is set of one: each by keyboard alone, and what the platform refuses is said where it was asked. */
class AddingTest extends VisitToThePage {

    private String lead;

    @BeforeEach
    void organisation() {
        lead = platform.add("Team Lead", "Asks the team", null, "online");
    }

    @Test
    void an_agent_that_somebody_has_gets_a_place_and_one_line_to_paste() {
        platform.answers.put("POST /invitations", JsonObject.of("id", "secret-id", "name", "My <b>Claude</b>"));
        browser.go(platform.url()).find("button.card").sendKeys("+");
        browser.find("dialog input[name=name]").sendKeys("My <b>Claude</b>" + Keys.ENTER);

        browser.see(
                "-e WORKSPACE_ID=secret-id -e PLATFORM_URL=" + platform.url().replaceAll("/$", ""));
        browser.see("My <b>Claude</b>");
        assertThat(platform.changes)
                .containsExactly("POST /invitations {\"name\":\"My <b>Claude</b>\",\"parent_id\":\"" + lead + "\"}");
        browser.assertCalm();
    }

    @Test
    void a_refusal_is_said_below_the_form_and_nothing_typed_is_lost() {
        platform.answers.put("POST /workspaces", JsonObject.of("error", "name is taken"));
        browser.go(platform.url()).find("button.card").sendKeys("+");
        browser.named("dialog button", "A new agent").sendKeys(Keys.ENTER);
        browser.find("dialog input[name=name]").sendKeys("Critic" + Keys.ENTER);

        browser.see("name is taken");
        assertThat(browser.find("dialog input[name=name]").getDomProperty("value"))
                .isEqualTo("Critic");
    }

    @Test
    void a_team_that_lies_ready_is_brought_in() {
        platform.answers.put("POST /org/import", JsonObject.of("org", "Studio", "count", 11));
        browser.go(platform.url()).find("button.card").sendKeys("+");
        browser.named("dialog button", "A team").sendKeys(Keys.ENTER);
        browser.named("dialog button.start", "Software Studio").sendKeys(Keys.ENTER);

        browser.see("11 agents are starting");
        assertThat(platform.changes).containsExactly("POST /org/import {\"dir\":\"studio\"}");
    }

    @Test
    void what_an_agent_may_spend_and_its_secrets_are_set() {
        platform.answers.put("/workspaces/" + lead + "/secrets", new JsonArray());
        browser.go(platform.url() + "#" + lead).named("[role=tab]", "Settings").click();
        browser.find(".settings input[name=limit]").sendKeys("12.50" + Keys.ENTER);
        browser.see("The limit is kept.");
        browser.find(".settings input[name=key]").sendKeys("API_KEY");
        browser.find(".settings input[name=value]").sendKeys("s3cret" + Keys.ENTER);
        browser.see("Kept, sealed.");

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(platform.changes)
                        .containsExactly(
                                "PATCH /workspaces/" + lead + "/budget {\"budget_limit\":1250}",
                                "PUT /workspaces/" + lead + "/secrets {\"key\":\"API_KEY\",\"value\":\"s3cret\"}"));
        browser.seeNot("s3cret");
        assertThat(browser.find(".settings input[name=value]").getDomProperty("value"))
                .isEmpty();
    }
}
