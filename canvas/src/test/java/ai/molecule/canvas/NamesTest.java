package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** What the organisation is called, for everybody, and who looks at it, in this browser. */
class NamesTest extends VisitToThePage {

    @Test
    void the_organisation_gets_a_name_for_everybody_and_the_person_one_that_stands_beside_decisions() {
        var studio = studio();
        String config = "/workspaces/" + studio.get(0) + "/config";
        String approval = platform.asks(studio.get(2), "publish report.html", "");
        browser.go(platform.url()).named("button.person", "You").click();
        browser.find("input[name=organisation]").sendKeys("Club Calendar");
        browser.find("input[name=person]").sendKeys("Kim");
        platform.answers.put(config, JsonObject.of("data", JsonObject.of("organisation_name", "Club Calendar")));
        browser.named("dialog button", "Save").click();
        browser.see("· Club Calendar");
        browser.named("button.person", "Kim");
        assertThat(browser.driver().getTitle()).isEqualTo("▲ 1 · Club Calendar");

        browser.go(platform.url()).see("· Club Calendar");
        browser.named("button.person", "Kim");
        browser.picture("named");
        browser.named("button", "Approve: publish").click();
        browser.seeNot("Approve");

        assertThat(platform.changes)
                .satisfiesExactly(
                        change -> assertThat(change)
                                .isEqualTo("PATCH " + config + " {\"organisation_name\":\"Club Calendar\"}"),
                        change -> assertThat(change).contains(approval).contains("\"decided_by\":\"Kim\""));
        browser.assertCalm();
    }
}
