package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.canvas.Browser;
import ai.molecule.common.testing.TestStores;
import ai.molecule.system.Platform;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The page of somebody who looks on while the platform, or its database, goes away and comes back: it says so, loses nothing and goes on by itself. */
@Tag("full")
class PageOfALostPlatformIT {

    @Test
    void a_platform_that_is_stopped_and_started_again_finds_the_page_as_it_was_left(@TempDir Path data)
            throws Exception {
        int port = TestStores.freePort();
        try (var page = Browser.open()) {
            String coder;
            String asked;
            try (var first = Platform.up(port, data, "--no-demo")) {
                coder = first.create("Coder", "echo", null);
                first.awaitStatus(coder, "online");
                asked = ask(first, coder);
                page.size(1440, 900).go(first.url + "/#" + coder).see("publish report.html");
                page.find("agent-panel textarea").sendKeys("what I was about to say");
            }

            page.see("Disconnected since");
            page.see("What you see is from then");
            page.find("agent-panel textarea").sendKeys(Keys.ENTER);
            page.see("Not sent yet");
            page.picture("platform-away");

            try (var again = Platform.up(port, data, "--no-demo")) {
                page.seeNot("Disconnected since");
                assertThat(page.find("agent-panel textarea").getDomProperty("value"))
                        .isEqualTo("what I was about to say");
                again.awaitStatus(coder, "online");
                sendUntilAnswered(page, "Echo: what I was about to say");
                page.named("button", "Approve: publish report.html").click();
                await().until(() -> statusOf(again, coder, asked).equals("approved"));
            }
        }
    }

    @Test
    void a_database_that_is_away_is_said_to_be_and_what_came_meanwhile_is_seen_afterwards(
            @TempDir Path data, @TempDir Path databases) throws Exception {
        try (var postgres = new RestartedPostgres(databases);
                var platform = Platform.up(Map.of("DATABASE_URL", postgres.url()), data, "--no-demo");
                var page = Browser.open()) {
            String coder = platform.create("Coder", "echo", null);
            platform.awaitStatus(coder, "online");
            page.size(1440, 900).go(platform.url + "/").see("Coder");

            postgres.kill();

            page.see("the platform cannot read its data");
            page.see("Nothing is lost");
            page.named("button.card", "Coder");
            page.picture("database-away-real");

            postgres.start();
            page.seeNot("the platform cannot read its data");
            await().ignoreException(AssertionError.class).until(() -> ask(platform, coder) != null);
            page.see("publish report.html");
        }
    }

    /** A platform that has just started may refuse once more: the words stay where they are, and who wrote them sends them again. */
    private static void sendUntilAnswered(Browser page, String answer) {
        await().pollInterval(Duration.ofSeconds(3)).until(() -> {
            if (!"".equals(page.script("return document.querySelector('agent-panel textarea').value"))) {
                page.find("agent-panel textarea").sendKeys(Keys.ENTER);
            }
            return String.valueOf(page.script("return document.body.innerText")).contains(answer);
        });
    }

    private static String ask(Platform platform, String agent) {
        return platform.post(201, "/workspaces/" + agent + "/approvals", "{\"action\":\"publish report.html\"}")
                .get("approval_id")
                .asText();
    }

    private static String statusOf(Platform platform, String agent, String approval) {
        for (var row : platform.get("/workspaces/" + agent + "/approvals")) {
            if (row.get("id").asText().equals(approval)) {
                return row.get("status").asText();
            }
        }
        throw new AssertionError("no approval " + approval);
    }
}
