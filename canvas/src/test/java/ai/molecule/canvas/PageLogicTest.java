package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** The sentences of {@code src/test/web}, which run in a browser because that is where the page does. */
@Tag("full")
class PageLogicTest {

    @TestFactory
    List<DynamicTest> the_pages_logic() {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode result : results()) {
            tests.add(DynamicTest.dynamicTest(
                    result.path("name").asText(),
                    () -> assertThat(result.path("failure").asText("")).isIn("", "null")));
        }
        assertThat(tests).hasSizeGreaterThan(20);
        return tests;
    }

    private static JsonNode results() {
        try (var browser = Browser.open()) {
            browser.go("about:blank");
            browser.script(Browser.resource("/tests.js"));
            Awaitility.await().until(() -> Boolean.TRUE.equals(browser.script("return window.results !== undefined")));
            return browser.json("return JSON.parse(window.results)");
        }
    }
}
