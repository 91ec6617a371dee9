package ai.molecule.canvas;

import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** A person at the page of a {@link StagedPlatform}: one Chromium for each class of tests, one platform for each test. */
@Tag("full")
abstract class VisitToThePage {

    /** Of the class that runs; they run one after the other. */
    static Browser browser;

    StagedPlatform platform;

    @BeforeAll
    static void open() {
        browser = Browser.open();
    }

    @BeforeEach
    void stage() {
        platform = new StagedPlatform();
        browser.go("about:blank")
                .prefers("prefers-color-scheme", "light")
                .offline(false)
                .size(1440, 900);
        browser.complaints();
    }

    @AfterEach
    void close() {
        platform.close();
    }

    @AfterAll
    static void quit() {
        if (browser != null) {
            browser.close();
        }
    }

    /** Director, Engineering Lead below, and below that Backend and Tester. */
    final List<String> studio() {
        String director = platform.add("Director", "Decides", null, "online");
        String lead = platform.add("Engineering Lead", "Splits", director, "online");
        return List.of(
                director,
                lead,
                platform.add("Backend", "Builds what answers", lead, "online"),
                platform.add("Tester", "Tries to break it", lead, "online"));
    }

    final void settingsOf(String name) {
        browser.go(platform.url()).named("button.card", name).click();
        browser.named("[role=tab]", "Settings").click();
    }

    static List<String> labels(String css) {
        return StreamSupport.stream(
                        browser.json("return [...document.querySelectorAll(\"" + css
                                        + "\")].map((one) => one.getAttribute('aria-label'))")
                                .spliterator(),
                        false)
                .map(label -> label.asText())
                .toList();
    }

    static void keys(CharSequence... keys) {
        browser.keys(keys);
    }

    /** Waits until the focus is on what says so first. */
    static void seeFocusOn(String words) {
        await("the focus is not on " + words).until(() -> browser.focused().startsWith(words));
    }
}
