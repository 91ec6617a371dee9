package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;

/** Ten thousand agents: what is in the page, what the platform is told of it, and how a person finds one. */
class LargeOrganisationTest extends VisitToThePage {

    private static final int NODES_MAX = 3_000;

    @Test
    void ten_thousand_are_dots_with_few_names_and_the_platform_hears_whose() {
        // When
        teams(platform, 120, 82);
        browser.go(platform.url()).find("organisation-map .label");

        // Then
        assertThat(nodes()).isLessThan(NODES_MAX);
        assertThat(browser.json("return document.querySelectorAll('.label').length")
                        .asInt())
                .isBetween(1, 120);
        await().until(() -> !platform.views.isEmpty() && !view().isEmpty());
        assertThat(view().size()).isLessThanOrEqualTo(130);
        browser.assertCalm();
    }

    @Test
    void a_digest_of_those_out_of_view_is_counted_and_painted() {
        // Given
        var ids = teams(platform, 120, 82);
        browser.go(platform.url()).find("organisation-map .label");
        browser.see("747 running"); // one in thirteen
        Object before = browser.script("return document.querySelector('canvas.far').toDataURL()");

        // When
        var rows = new JsonArray();
        ids.subList(5_000, 6_000)
                .forEach(id -> rows.add(JsonObject.of("id", id, "active_tasks", 1, "current_task", "a new one")));
        platform.ephemeral(
                "VIEW_DIGEST",
                "",
                JsonObject.of("events", 1_000, "seq", 0, "workspaces", rows, "pairs", new JsonArray()));

        // Then
        browser.see("1671 running");
        await().until(() -> !String.valueOf(before)
                .equals(browser.script("return document.querySelector('canvas.far').toDataURL()")));
    }

    @Test
    void the_list_of_ten_thousand_holds_what_is_seen_and_its_end_is_reached() {
        // Given
        teams(platform, 120, 82);
        browser.go(platform.url()).named("button", "List").click();
        browser.find(".row");

        // When
        int first = nodes();
        browser.script("const list = document.querySelector('organisation-list'); list.scrollTop = list.scrollHeight;");

        // Then
        browser.see("Agent 119-81");
        assertThat(first).isLessThan(NODES_MAX);
        assertThat(nodes()).isLessThan(NODES_MAX);
        assertThat(browser.json("return document.querySelector('organisation-list').scrollHeight")
                        .asInt())
                .isGreaterThan(9_000 * 44);
        await().until(() -> platform.views.getLast().contains(platform.idOf("Agent 119-81")));
        browser.assertCalm();
    }

    @Test
    void by_keyboard_the_end_of_the_list_is_one_press_away_and_the_way_back_too() {
        teams(platform, 120, 82);
        browser.go(platform.url()).named("button", "List").click();
        browser.find(".row[tabindex='0']").click();

        keys(Keys.END);
        seeFocusOn("Agent 119-81,");
        keys(Keys.HOME);

        seeFocusOn("Division 0,");
    }

    @Test
    void who_is_found_is_sorted_and_paused_together_once_that_was_confirmed() {
        // Given
        teams(platform, 120, 82);
        platform.set(platform.idOf("Agent 7-7"), "monthly_spend", 950);
        browser.go(platform.url()).named("button", "List").click();

        // When
        browser.find("input[type=search]").sendKeys("failed");
        browser.see("6 of 9840");
        browser.find(".tools select").sendKeys("by name");
        browser.named(".tools button", "Pause 6").click();
        assertThat(platform.changes).isEmpty();
        browser.named(".tools button", "Pause all 6").click();

        // Then
        browser.see("6 agents paused.");
        assertThat(platform.changes)
                .hasSize(6)
                .allMatch(change -> change.startsWith("POST ") && change.contains("/pause"));
        browser.find("input[type=search]").sendKeys(Keys.chord(Keys.CONTROL, "a"), "cost > $9");
        browser.see("1 of 9840");
        browser.see("Agent 7-7");
    }

    @Test
    void a_dot_is_pointed_at_chosen_and_reached_by_arrow_keys() {
        // Given
        teams(platform, 120, 82);
        browser.go(platform.url());
        var map = browser.find("organisation-map");
        browser.find("organisation-map .label.head");

        // When
        var dot = browser.json("""
                const map = document.querySelector('organisation-map');
                const box = map.drawn.boxes.find((one) => one.kind === 'agent');
                return { x: Math.round((box.x + box.w / 2) * map.scale + map.pan.x - map.clientWidth / 2),
                         y: Math.round((box.y + box.h / 2) * map.scale + map.pan.y - map.clientHeight / 2) };
                """);
        new Actions(browser.driver())
                .moveToElement(map, dot.path("x").asInt(), dot.path("y").asInt())
                .click()
                .perform();

        // Then
        browser.find("agent-panel");
        browser.find("organisation-map .label.chosen").sendKeys(Keys.ARROW_RIGHT);
        await().until(() -> browser.ofTheFocus("!!focus.dataset.id && focus.getAttribute('aria-pressed') !== 'true'")
                .equals("true"));
        browser.assertCalm();
    }

    @Test
    void a_small_organisation_is_told_whole() {
        studio();
        browser.go(platform.url()).named("button.card", "Backend");
        platform.works(platform.idOf("Backend"), "fixing");

        browser.see("fixing");
        assertThat(platform.views).isEmpty();
    }

    /** So many teams of so many: one in 13 works, and one in 1,637 failed. */
    static List<String> teams(StagedPlatform platform, int teams, int each) {
        List<String> ids = new java.util.ArrayList<>();
        for (int team = 0; team < teams; team++) {
            String lead = platform.add("Division " + team, "Leads", null, "online");
            ids.add(lead);
            for (int i = 1; i < each; i++) {
                String id = platform.add("Agent " + team + "-" + i, "Does its part", lead, "online");
                ids.add(id);
                int n = ids.size();
                if (n % 13 == 0) {
                    platform.set(id, "active_tasks", 1);
                    platform.set(id, "current_task", "step " + n);
                } else if (n % 1_637 == 0) {
                    platform.set(id, "status", "failed");
                }
            }
        }
        return ids;
    }

    private JsonArray view() {
        return new JsonObject(platform.views.getLast()).getJsonObject("view").getJsonArray("workspaces");
    }

    private static int nodes() {
        return browser.json(
                        "let n = 0; for (const walk = document.createTreeWalker(document); walk.nextNode();) n++; return n")
                .asInt();
    }
}
