package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** Names, roles, answers and files come from others: nothing of theirs breaks the page or runs in it. */
class StrangersWordsTest extends VisitToThePage {

    @Test
    void names_and_answers_of_any_kind_break_nothing_and_run_nothing() {
        String lead =
                platform.add("<img src=x onerror='window.hit=1'>", "<script>window.hit=1</script>", null, "online");
        platform.add(
                "\u202Eolleh \u05E9\u05DC\u05D5\u05DD \u0645\u0631\u062D\u0628\u0627", "right to left", lead, "online");
        platform.add("\uD83D\uDC69\u200D\uD83D\uDD2C\uD83D\uDE80".repeat(50), null, lead, "online");
        platform.add("x".repeat(10_000), "y".repeat(10_000), lead, "failed");
        platform.add("", null, lead, "a status nobody knows");
        platform.add("${name} {{name}} javascript:window.hit=1", "\u0000\n\t", "no such parent", "online");
        platform.works(lead, "<svg onload='window.hit=1'>".repeat(100));
        platform.asks(
                lead, "<b>rm -rf /</b>" + " very long".repeat(500), "<a href='javascript:window.hit=1'>click</a>");
        platform.talk.said(
                lead,
                "<iframe src='javascript:window.hit=1'></iframe>",
                "<img src=x onerror=window.hit=1>" + "z".repeat(20_000));

        browser.go(platform.url()).see("<img src=x onerror='window.hit=1'>");
        browser.named("button.card", "<img src=x").click();
        browser.see("<iframe src='javascript:window.hit=1'></iframe>");
        browser.find("button.card").sendKeys("l");
        browser.find("[role=treeitem]");

        assertThat(browser.script("return window.hit")).isNull();
        assertThat(browser.driver()
                        .findElements(By.cssSelector("molecule-app :is(img, script, iframe, a, svg[onload])")))
                .isEmpty();
        assertThat(browser.driver().findElements(By.cssSelector("[role=treeitem]")))
                .hasSize(6);
        assertThat(browser.script("return document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo(true);
        browser.picture("strangers").assertCalm();
    }

    @Test
    void nothing_is_asked_of_another_host_and_the_policy_is_never_broken() {
        studio();
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.see("No messages yet");

        var hosts =
                browser.json("return performance.getEntriesByType('resource').map((one) => new URL(one.name).host)");

        assertThat(StreamSupport.stream(hosts.spliterator(), false).map(host -> host.asText()))
                .isNotEmpty()
                .containsOnly(platform.url().replaceAll("http://|/", ""));
        browser.assertCalm();
    }

    @Test
    void what_waits_and_what_was_changed_is_words_too() {
        String hit = "<img src=x onerror='window.hit=1'>";
        String long10k =
                "\u202E" + "\u05E9\u05DC\u05D5\u05DD \uD83D\uDC69\u200D\uD83D\uDD2C".repeat(1_000) + "x".repeat(10_000);
        String one = platform.add(hit, long10k, null, "online");
        String other = platform.add(long10k, hit, one, "online");
        for (String kind : List.of("approval", "question", "budget", "outcome_unknown", "stranger", "failed", "new")) {
            platform.inbox.open(
                    kind,
                    other,
                    hit,
                    hit + long10k,
                    new JsonObject()
                            .put("reason", hit)
                            .put("role", long10k)
                            .put("missing", hit)
                            .put("percent", hit)
                            .put("target_id", hit)
                            .put("context", JsonObject.of(hit, long10k, "list", JsonObject.of("a", hit))));
        }
        String versions = "/workspaces/" + other + "/versions";
        var settings = JsonObject.of("settings", JsonObject.of("files", JsonObject.of(hit, long10k + "\n" + hit)));
        platform.answers.put(versions + "/1", JsonObject.of("settings", new JsonObject()));
        platform.answers.put(versions + "/2", settings);
        platform.answers.put(versions, JsonObject.of("versions", JsonArray.of(version(2, hit), version(1, hit))));

        browser.go(platform.url() + "#" + other).named("[role=tab]", "Settings").click();
        browser.named("button.version", "Created").click();
        browser.see("Restoring would change:");
        browser.picture("strangers-settings");
        browser.size(390, 844).go("about:blank").go(platform.url() + "#needs").see(hit);

        assertThat(browser.script("return window.hit")).isNull();
        assertThat(browser.isThere("molecule-app :is(img, script, iframe, svg[onload])"))
                .isFalse();
        assertThat(browser.script("return document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo(true);
        browser.picture("strangers-phone");
        browser.assertCalm();
    }

    private static JsonObject version(int n, String words) {
        return new JsonObject()
                .put("n", n)
                .put("created_at", "2026-01-02T03:04:05Z")
                .put("changed_with", words)
                .putNull("restored_from")
                .put("changes", JsonArray.of(JsonObject.of("setting", words, "from", words, "to", words)));
    }
}
