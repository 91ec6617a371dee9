package ai.molecule.canvas;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.openqa.selenium.WebElement;

/** A finger at a point of the window of a phone. */
record Finger(int id, double x, double y) {

    private static final int STEPS = 5;

    static Finger inTheMiddleOf(WebElement element) {
        var at = element.getRect();
        return new Finger(0, at.getX() + at.getWidth() / 2.0, at.getY() + at.getHeight() / 2.0);
    }

    Finger by(double dx, double dy) {
        return new Finger(id, x + dx, y + dy);
    }

    /** Put down, moved by so much, and lifted. */
    void swipes(Browser browser, double dx, double dy) {
        tells(browser, "touchStart", this);
        for (double step = 1; step <= STEPS && (dx != 0 || dy != 0); step++) {
            tells(browser, "touchMove", by(dx * step / STEPS, dy * step / STEPS));
        }
        tells(browser, "touchEnd");
    }

    /** @param fingers all that are on the glass; of {@code touchEnd} those that leave it, all of them where none is named */
    static void tells(Browser browser, String type, Finger... fingers) {
        List<Map<String, Number>> points = Stream.of(fingers)
                .map(finger -> Map.<String, Number>of("id", finger.id, "x", finger.x, "y", finger.y))
                .toList();
        browser.driver().executeCdpCommand("Input.dispatchTouchEvent", Map.of("type", type, "touchPoints", points));
    }
}
