package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
        browser.named("dialog button", "New agent").sendKeys(Keys.ENTER);
        browser.find("dialog input[name=name]").sendKeys("Critic" + Keys.ENTER);

        browser.see("name is taken");
        assertThat(browser.find("dialog input[name=name]").getDomProperty("value"))
                .isEqualTo("Critic");
    }

    @Test
    void a_new_agent_that_is_to_ask_before_it_acts_does_not_run_before_its_config_says_so() {
        String config = "/workspaces/w-9/files/config.yaml";
        platform.answers.put("POST /org/import", JsonObject.of("workspaces", JsonArray.of(JsonObject.of("id", "w-9"))));
        platform.answers.put(config, JsonObject.of("content", "tools: [ask]\n"));
        browser.go(platform.url()).find("button.card").sendKeys("+");
        browser.named("dialog button", "New agent").click();
        browser.find("dialog input[name=name]").sendKeys("Critic");
        browser.find("dialog select[name=unasked]").sendKeys("Yes");
        browser.named("dialog button", "Create agent").click();
        browser.see("it has tools of its own");
        assertThat(platform.changes).isEmpty();
        browser.script("document.querySelector('dialog select[name=runtime]').value = 'langgraph'");
        browser.named("dialog button", "Create agent").click();

        browser.see("Critic is starting.");
        assertThat(platform.changes)
                .containsExactly(
                        "POST /org/import {\"template\":{\"name\":\"Critic\",\"workspaces\":[{\"name\":\"Critic\","
                                + "\"runtime\":\"langgraph\"}]},\"start\":false}",
                        "PUT " + config + "?root=/configs {\"content\":\"tools: [ask]\\nunasked: []\\n\"}",
                        "PATCH /workspaces/w-9 {\"parent_id\":\"" + lead + "\"}",
                        "POST /workspaces/w-9/resume {}");
    }

    @Test
    void a_team_that_lies_ready_is_brought_in_once_one_has_seen_who_would_be_there() {
        platform.answers.put("POST /org/import?dry_run=1", plan("Studio", new JsonArray()));
        platform.answers.put("POST /org/import", JsonObject.of("org", "Studio", "count", 2));
        browser.go(platform.url()).find("button.card").sendKeys("+");
        browser.named("dialog button", "Import team").sendKeys(Keys.ENTER);
        browser.named("dialog button.start", "Software Studio").sendKeys(Keys.ENTER);
        browser.see("Decides what is built");
        assertThat(platform.changes).containsExactly("POST /org/import?dry_run=1 {\"dir\":\"studio\"}");
        browser.named("dialog button.primary", "Import").sendKeys(Keys.ENTER);

        browser.see("2 agents are starting");
        assertThat(platform.changes).endsWith("POST /org/import {\"dir\":\"studio\"}");
    }

    @Test
    void what_an_import_lacks_is_told_with_who_would_be_there_given_or_gone_without_knowingly() {
        platform.answers.put(
                "POST /org/import?dry_run=1",
                plan("<b>Studio</b>", JsonArray.of("A_KEY", JsonObject.of("any_of", JsonArray.of("B_KEY", "C_KEY"))))
                        .put("warnings", JsonArray.of("workspace \"Coder\": there is no plugin polite")));
        platform.answers.put("POST /org/import", JsonObject.of("org", "Studio", "count", 2));
        browser.go(platform.url()).find("button.card").sendKeys("+");
        browser.named("dialog button", "Import team").sendKeys(Keys.ENTER);
        browser.named("dialog button.start", "Software Studio").sendKeys(Keys.ENTER);
        browser.see("<b>Studio</b>");
        browser.see("2 secrets missing");
        browser.see("there is no plugin polite");
        browser.picture("import-preview");
        browser.find("dialog input[name='secret:A_KEY']").sendKeys("s3cret" + Keys.ENTER);
        browser.see("The agents would start without B_KEY or C_KEY. Press again to import without them.");
        assertThat(platform.changes).noneMatch(change -> change.startsWith("POST /org/import {"));
        browser.named("dialog button", "Import without keys").click();

        browser.see("2 agents are starting");
        assertThat(platform.changes)
                .endsWith(
                        "PUT /settings/secrets {\"key\":\"A_KEY\",\"value\":\"s3cret\"}",
                        "POST /org/import {\"dir\":\"studio\",\"force\":true}");
        browser.assertCalm();
    }

    @Test
    void what_cannot_be_imported_says_why_before_anything_is_made() {
        platform.answers.put(
                "POST /org/import?dry_run=1",
                JsonObject.of(
                        "error", "invalid org template", "problems", JsonArray.of("$.workspaces[0].tier: no number")));
        browser.go(platform.url()).find("button.card").sendKeys("+");
        browser.named("dialog button", "Import team").sendKeys(Keys.ENTER);
        browser.named("dialog button.start", "Software Studio").sendKeys(Keys.ENTER);

        browser.see("invalid org template: $.workspaces[0].tier: no number");
    }

    /** A director and a coder below. */
    static JsonObject plan(String org, JsonArray missing) {
        var director = new JsonObject()
                .put("name", "Director")
                .put("role", "Decides what is built")
                .putNull("parent")
                .put("tier", 2)
                .put("runtime", "langgraph")
                .put("model", "anthropic:claude")
                .put("external", false)
                .putNull("template")
                .put("plugins", new JsonArray());
        return new JsonObject()
                .put("dry_run", true)
                .put("org", org)
                .put("description", "Plans and builds.")
                .put(
                        "workspaces",
                        JsonArray.of(
                                director,
                                director.copy()
                                        .put("name", "Coder")
                                        .put("role", "Builds it")
                                        .put("parent", 0)
                                        .put("plugins", JsonArray.of("polite"))))
                .put("count", 2)
                .put("warnings", new JsonArray())
                .put("missing_env", missing)
                .put("missing_recommended_env", JsonArray.of("D_KEY"));
    }

    @Test
    void what_an_agent_may_spend_and_its_secrets_are_set() {
        platform.answers.put("/workspaces/" + lead + "/secrets", new JsonArray());
        browser.go(platform.url() + "#" + lead).named("[role=tab]", "Settings").click();
        browser.find(".settings input[name=limit]").sendKeys("12.50" + Keys.ENTER);
        browser.see("Limit saved.");
        browser.find(".settings input[name=key]").sendKeys("API_KEY");
        browser.find(".settings input[name=value]").sendKeys("s3cret" + Keys.ENTER);
        browser.see("Saved and encrypted.");

        await().untilAsserted(() -> assertThat(platform.changes)
                .containsExactly(
                        "PATCH /workspaces/" + lead + "/budget {\"budget_limit\":1250}",
                        "PUT /workspaces/" + lead + "/secrets {\"key\":\"API_KEY\",\"value\":\"s3cret\"}"));
        browser.seeNot("s3cret");
        assertThat(browser.find(".settings input[name=value]").getDomProperty("value"))
                .isEmpty();
    }
}
