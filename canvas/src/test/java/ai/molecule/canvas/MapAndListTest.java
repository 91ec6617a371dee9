package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;

/** Two readings of one store: finding agents, folding teams, and going about by keyboard. */
class MapAndListTest extends VisitToThePage {

    @Test
    void the_list_holds_every_fact_of_the_map() {
        var studio = studio();
        platform.works(studio.get(2), "fixing test 3 of 5");
        platform.asks(studio.get(3), "publish the report", "done");
        browser.go(platform.url()).see("fixing test 3 of 5");
        var map = labels("button.card");

        browser.named("button", "List").click();
        browser.find("[role=treeitem]");

        var list = labels("[role=treeitem]");
        assertThat(list).hasSameSizeAs(map);
        for (int i = 0; i < map.size(); i++) {
            assertThat(list.get(i)).startsWith(map.get(i).replaceAll(", \\d+:\\d\\d$", ""));
        }
        assertThat(browser.find("[role=treeitem]").getDomAttribute("aria-expanded"))
                .isEqualTo("true");
    }

    @Test
    void a_search_dims_on_the_map_and_says_what_the_list_leaves_out() {
        studio();
        browser.go(platform.url()).find("input[type=search]").sendKeys("backend");
        browser.see("1 of 4");
        assertThat(browser.driver().findElements(By.cssSelector("button.card.dim")))
                .hasSize(3);

        browser.named("button", "List").click();

        browser.see("1 agent not shown: no match.");
        assertThat(labels("[role=treeitem]")).hasSize(3).anyMatch(label -> label.startsWith("Backend"));
    }

    @Test
    void by_keyboard_one_goes_from_agent_to_agent_opens_one_and_comes_back() {
        studio();
        browser.go(platform.url()).named("button.card", "Director").sendKeys(Keys.ARROW_DOWN);
        seeFocusOn("Engineering Lead");
        keys(Keys.ARROW_DOWN);
        seeFocusOn("Backend");
        keys(Keys.ARROW_RIGHT);
        seeFocusOn("Tester");

        keys(Keys.ENTER);
        browser.see("Tester reads this");
        seeFocusOn("Tester"); // nothing moves the focus
        keys(Keys.ESCAPE);
        browser.seeNot("Tester reads this");

        keys("l");
        browser.find("[role=treeitem]").sendKeys(Keys.ARROW_LEFT);
        await().until(() -> labels("[role=treeitem]").size() == 1);
        keys(Keys.chord(Keys.CONTROL, "k"));
        await().until(() -> browser.ofTheFocus("focus.localName").equals("input"));
    }

    @Test
    void a_team_is_folded_for_everybody() {
        var studio = studio();
        browser.go(platform.url()).find("[data-fold='" + studio.get(1) + "']").click();

        await().until(() ->
                browser.driver().findElements(By.cssSelector("button.card")).size() == 2);
        await().until(() -> platform.changes.contains("PATCH /workspaces/" + studio.get(1) + " {\"collapsed\":true}"));
    }

    @Test
    void dragged_within_its_team_it_stays_where_it_was_put() {
        studio();
        browser.go(platform.url());
        var tester = browser.named("button.card", "Tester");

        new Actions(browser.driver())
                .clickAndHold(tester)
                .moveToElement(browser.named("button.card", "Backend"), -100, 0)
                .moveByOffset(-3, 0)
                .release()
                .perform();

        await().until(() -> labels("button.card").get(2).startsWith("Tester"));
        await().until(() -> platform.changes.stream()
                        .filter(change -> change.contains("\"x\":"))
                        .count()
                == 2);
        assertThat(browser.isThere("agent-panel")).isFalse(); // a drag is no click
    }

    @Test
    void on_a_phone_sixty_stand_in_one_column_are_read_and_a_finger_moves_the_ground_never_an_agent() {
        String lead = platform.add("Lead", "Leads them", null, "online");
        for (int i = 0; i < 60; i++) {
            platform.add("Agent " + i, "Does its part", lead, "online");
        }
        browser.size(390, 844).go(platform.url()).named("header button", "Map").click();
        browser.named("button.card", "Agent 0");

        double letters = number(
                "const name = document.querySelector('.card .name');"
                        + "return parseFloat(getComputedStyle(name).fontSize) * name.getBoundingClientRect().height / name.offsetHeight");
        assertThat(letters).isGreaterThanOrEqualTo(12);
        double right = number(
                "return Math.max(...[...document.querySelectorAll('.box')].map((box) => box.getBoundingClientRect().right))");
        assertThat(right).isLessThanOrEqualTo(390);

        Finger.inTheMiddleOf(browser.named("button.card", "Agent 3")).swipes(browser, 0, 0);
        browser.see("Agent 3 reads this");
        browser.named("button.close", "Agent 3").click();
        double before = top("Agent 0");
        Finger.inTheMiddleOf(browser.named("button.card", "Agent 2")).swipes(browser, 0, -150);
        await().until(() -> top("Agent 0") < before - 100);
        assertThat(browser.isThere("agent-panel")).isFalse();
        assertThat(platform.changes).isEmpty();
    }

    private static double top(String name) {
        return browser.json(
                        "return [...document.querySelectorAll('button.card')].find((card) => card.getAttribute('aria-label').startsWith(arguments[0] + ',')).getBoundingClientRect().top",
                        name)
                .asDouble();
    }

    private static double number(String script) {
        return browser.json(script).asDouble();
    }

    @Test
    void what_is_said_is_drawn_in_lines_that_cross_nobodys_words() {
        var studio = studio();
        browser.go(platform.url()).see("Backend");

        browser.script(KEEP_WAYS);
        platform.ephemeral(
                "ACTIVITY_LOGGED",
                studio.get(3),
                new JsonObject().put("activity_type", "a2a_receive").put("source_id", studio.get(0)));

        await().until(() -> browser.json("return window.ways.length").asInt() > 0);
        assertThat(browser.json("return window.ways.filter((way) => way.crosses)"))
                .isEmpty();
    }

    /** Of each line that is drawn: whether it comes upon the words of a card. A line lasts two seconds, less than a slow test needs to look. */
    private static final String KEEP_WAYS = """
            window.ways = [];
            new MutationObserver(() => {
              const words = [...document.querySelectorAll('.card > .name, .card > .role, .card > .now')].map((one) => {
                const range = document.createRange();
                range.selectNodeContents(one);
                return range.getBoundingClientRect();
              }).filter((box) => box.width > 0);
              for (const way of document.querySelectorAll('.beams .way')) {
                const steps = Array.from({ length: 400 }, (_, i) => way.getPointAtLength((way.getTotalLength() * i) / 399).matrixTransform(way.getScreenCTM()));
                window.ways.push({ crosses: steps.some(({ x, y }) => words.some((box) => x > box.left && x < box.right && y > box.top && y < box.bottom)) });
              }
            }).observe(document.querySelector('organisation-map'), { subtree: true, childList: true });
            """;

    @Test
    void twice_as_large_nothing_is_cut_off_sideways() {
        studio();
        browser.size(720, 450).go(platform.url()).see("Backend");

        assertThat(browser.script("return document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo(true);
        browser.picture("zoomed");
    }

    @Test
    void who_wants_no_motion_gets_none() {
        var studio = studio();
        browser.prefers("prefers-reduced-motion", "reduce").go(platform.url()).see("Backend");
        platform.works(studio.get(2), "fixing");
        browser.see("fixing");

        assertThat(browser.script("return document.getAnimations().length")).isEqualTo(0L);
    }
}
