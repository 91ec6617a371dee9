package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

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
        platform.said(
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
        browser.see("Nothing was said yet");

        var hosts =
                browser.json("return performance.getEntriesByType('resource').map((one) => new URL(one.name).host)");

        assertThat(StreamSupport.stream(hosts.spliterator(), false).map(host -> host.asText()))
                .isNotEmpty()
                .containsOnly(platform.url().replaceAll("http://|/", ""));
        browser.assertCalm();
    }
}
