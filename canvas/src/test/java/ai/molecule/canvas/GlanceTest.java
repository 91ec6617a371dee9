package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Somebody who has seen nothing but one picture of the page can say who is here, who leads, who works now, what needs them, and what it cost:
 * the words that say so are in the window without scrolling, large enough, and nothing lies over them.
 */
class GlanceTest extends VisitToThePage {

    /** Pixels as they are painted: what is smaller is not read in passing. */
    private static final double READABLE = 10.5;

    /** The size in which these words are painted where all of them are seen at once; 0 where they are not. */
    private static final String SEEN = """
            const words = arguments[0];
            let best = 0;
            for (const element of document.body.querySelectorAll('*')) {
              if (!element.textContent.includes(words) || [...element.children].some((child) => child.textContent.includes(words))) continue;
              if (element.closest('script,style,option,.unseen,.spoken')) continue;
              const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
              const range = document.createRange();
              const from = element.textContent.indexOf(words);
              let passed = 0;
              for (let node = texts.nextNode(); node; passed += node.data.length, node = texts.nextNode()) {
                const [begin, end] = [from - passed, from + words.length - passed];
                if (begin >= 0 && begin < node.data.length) range.setStart(node, begin);
                if (end > 0 && end <= node.data.length) range.setEnd(node, end);
              }
              const box = range.getBoundingClientRect();
              if (!box.width || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) continue;
              const covered = [0.05, 0.5, 0.95].some((part) => {
                const hit = document.elementFromPoint(box.left + box.width * part, box.top + box.height / 2);
                return !hit || !(hit.contains(element) || element.contains(hit));
              });
              const scale = element.offsetHeight ? element.getBoundingClientRect().height / element.offsetHeight : 1;
              if (!covered) best = Math.max(best, parseFloat(getComputedStyle(element).fontSize) * scale);
            }
            return best;
            """;

    private List<String> names = List.of();

    @BeforeEach
    void at_work() {
        String director = platform.add("Director", "Decides what is done next", null, "online");
        String lead = platform.add("Engineering Lead", "Splits what is to be built", director, "online");
        String coder = platform.add("Backend", "Builds what answers", lead, "online");
        platform.add("Tester", "Tries to break it", lead, "online");
        String writer = platform.add("Customer Writer", "Explains and announces", director, "online");
        names = List.of("Director", "Engineering Lead", "Backend", "Tester", "Customer Writer");
        platform.set(coder, "monthly_spend", 210);
        platform.set(director, "monthly_spend", 90);
        platform.works(coder, "fixing test 3 of 5");
        platform.asks(writer, "publish the report to ./out", "2 checks fail; it says so in line 1.");
    }

    @Test
    void each_screen_in_a_window_answers_the_five_questions() {
        for (var screen : Map.of("", "map", "#work", "work", "#needs", "needs").entrySet()) {
            visit(1440, 900, screen.getKey());
            sees(screen.getValue(), "5 agents", "led by Director", "1 running", "1 needs you", "$3.00 this month");
            sees(screen.getValue(), "publish the report to ./out");
            if (!screen.getKey().equals("#work") && !screen.getKey().equals("#needs")) {
                sees("map", names.toArray(String[]::new));
                sees("map", "fixing test 3 of 5");
            }
        }
        visit(1440, 900, "");
        browser.named("button", "List").click();
        browser.see("Tries to break it");
        sees("list", names.toArray(String[]::new));
        sees("list", "led by Director", "fixing test 3 of 5", "1 needs you", "$3.00 this month");
        browser.named("button", "Map").click();
        browser.named("button.card", "Backend").click();
        browser.see("reads this");
        sees("talk", "5 agents", "led by Director", "1 running", "1 needs you", "$3.00 this month");
    }

    @Test
    void and_on_a_phone() {
        for (var screen : Map.of("", "list", "#work", "work", "#needs", "needs").entrySet()) {
            visit(390, 844, screen.getKey());
            sees(
                    screen.getValue() + " on a phone",
                    "5 agents",
                    "led by Director",
                    "1 running",
                    "1 needs you",
                    "$3.00 this month");
            sees(screen.getValue() + " on a phone", "publish the report to ./out");
        }
    }

    @Test
    void and_in_windows_of_any_width_between() {
        platform.answers.put(
                "/workspaces/" + platform.idOf("Director") + "/config",
                JsonObject.of("data", JsonObject.of("organisation_name", "Club Calendar")));
        for (int width : List.of(1440, 1280, 1024, 760)) {
            visit(width, 800, "");
            sees(
                    "map at " + width,
                    "Club Calendar",
                    "5 agents",
                    "led by Director",
                    "1 running",
                    "1 needs you",
                    "$3.00 this month");
        }
    }

    private void visit(int width, int height, String screen) {
        browser.size(width, height)
                .go("about:blank")
                .go(platform.url() + screen)
                .see("5 agents");
        browser.see("publish the report");
        browser.picture("glance-" + (screen.isEmpty() ? "home" : screen.substring(1)) + "-" + width);
    }

    private void sees(String screen, String... answers) {
        await().untilAsserted(() -> {
            List<String> missing = new ArrayList<>();
            for (String words : answers) {
                double size = browser.json(SEEN, words).asDouble();
                if (size < READABLE) {
                    missing.add(words + " (" + size + " px)");
                }
            }
            assertThat(missing).as("not seen at a glance on " + screen).isEmpty();
        });
    }
}
