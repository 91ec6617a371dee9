package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WindowType;

/** Two fingers on the map of a phone: what lies between them grows and shrinks, and stays between them. */
class ZoomingOnAPhoneTest extends VisitToThePage {

    private static final int STEPS = 5;

    private Finger left;
    private Finger right;

    /** How large the map is, and what of it lies at a point of the window. */
    private record Sight(double scale, double x, double y) {}

    @BeforeEach
    void map() {
        studio();
        browser.driver()
                .switchTo()
                .newWindow(WindowType.TAB); // one that felt fingers feels none after it went elsewhere
        browser.size(390, 844).go(platform.url()).named("header button", "Map").click();
        browser.named("button.card", "Tester");
        var map = browser.find("organisation-map").getRect();
        double middle = map.getY() + map.getHeight() / 2.0;
        left = new Finger(0, 150, middle);
        right = new Finger(1, 230, middle);
    }

    @Test
    void apart_they_zoom_and_what_was_between_them_stays_between_them() {
        var before = sightAt(190, left.y());

        fingers("touchStart", left);
        fingers("touchStart", left, right);
        move(left, -20, 0, right, 20, 0);

        await().untilAsserted(() -> {
            var after = sightAt(190, left.y());
            assertThat(after.scale).isCloseTo(before.scale * 1.5, within(0.02));
            assertThat(after.x).isCloseTo(before.x, within(2.0));
            assertThat(after.y).isCloseTo(before.y, within(2.0));
        });
        fingers("touchEnd");
        nothingElseHappened();
    }

    @Test
    void together_they_make_it_smaller_and_both_ways_have_an_end() {
        fingers("touchStart", left);
        fingers("touchStart", left, right);
        move(left, 39, 0, right, -39, 0);
        await().untilAsserted(() -> assertThat(sightAt(0, 0).scale).isCloseTo(0.2, within(0.001)));
        fingers("touchEnd");

        fingers("touchStart", left.by(39, 0));
        fingers("touchStart", left.by(39, 0), right.by(-39, 0));
        move(left.by(39, 0), -150, 0, right.by(-39, 0), 150, 0);

        await().untilAsserted(() -> assertThat(sightAt(0, 0).scale).isCloseTo(2, within(0.001)));
        fingers("touchEnd");
        nothingElseHappened();
    }

    @Test
    void one_that_dragged_the_ground_before_the_second_came_makes_nothing_jump() {
        var held = sightAt(190, left.y());
        fingers("touchStart", left);
        for (int step = 1; step <= STEPS; step++) {
            fingers("touchMove", left.by(0, -20 * step));
        }
        var dragged = left.by(0, -100);
        var second = right.by(0, -100);
        await() // the page hears of a finger's way once a frame
                .untilAsserted(() -> assertThat(sightAt(190, dragged.y()).y).isCloseTo(held.y, within(0.5)));
        var before = sightAt(190, dragged.y());

        fingers("touchStart", dragged, second);
        move(dragged, -20, 0, second, 20, 0);

        await().untilAsserted(() -> {
            var after = sightAt(190, dragged.y());
            assertThat(after.scale).isCloseTo(before.scale * 1.5, within(0.02));
            assertThat(after.x).isCloseTo(before.x, within(2.0));
            assertThat(after.y).isCloseTo(before.y, within(2.0));
        });
        fingers("touchEnd");
    }

    @Test
    void the_one_that_stays_goes_on_dragging_the_ground() {
        fingers("touchStart", left);
        fingers("touchStart", left, right);
        move(left, -10, 0, right, 10, 0);
        var stays = left.by(-10, 0);
        fingers("touchEnd", right.by(10, 0));
        var before = sightAt(stays.x(), stays.y());

        for (int step = 1; step <= STEPS; step++) {
            fingers("touchMove", stays.by(10 * step, 12 * step));
        }

        await().untilAsserted(() -> {
            var after = sightAt(stays.x() + 50, stays.y() + 60);
            assertThat(after.scale).isEqualTo(before.scale);
            assertThat(after.x).isCloseTo(before.x, within(2.0));
            assertThat(after.y).isCloseTo(before.y, within(2.0));
        });
        fingers("touchEnd");
        nothingElseHappened();
    }

    /** Nobody was opened, moved or placed, and the window is as large as it was. */
    private void nothingElseHappened() {
        assertThat(browser.isThere("agent-panel")).isFalse();
        assertThat(platform.changes).isEmpty();
        assertThat(browser.json("return visualViewport.scale").asDouble()).isEqualTo(1);
    }

    private static void move(Finger one, double x, double y, Finger other, double otherX, double otherY) {
        for (double step = 1; step <= STEPS; step++) {
            double part = step / STEPS;
            fingers("touchMove", one.by(x * part, y * part), other.by(otherX * part, otherY * part));
        }
    }

    private static void fingers(String type, Finger... down) {
        Finger.tells(browser, type, down);
    }

    private static Sight sightAt(double x, double y) {
        var seen = browser.json("""
                const at = new DOMMatrix(getComputedStyle(document.querySelector('.world')).transform);
                const corner = document.querySelector('organisation-map').getBoundingClientRect();
                return [at.a, (arguments[0] - corner.x - at.e) / at.a, (arguments[1] - corner.y - at.f) / at.a];
                """, x, y);
        return new Sight(
                seen.get(0).asDouble(), seen.get(1).asDouble(), seen.get(2).asDouble());
    }
}
