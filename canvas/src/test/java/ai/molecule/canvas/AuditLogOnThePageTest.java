package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Documents;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** The audit log of an agent and of all: every entry that the platform writes can be read, and one that cannot takes nothing else along. */
class AuditLogOnThePageTest extends VisitToThePage {

    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    @Test
    void every_documented_verb_is_shown_with_and_without_an_object() throws IOException {
        String backend = studio().get(2);
        var verbs = verbs();
        assertThat(verbs).contains("secret.read", "workspace.put_to_sleep", "request.refused", "webhook.deleted");
        var entries = new JsonArray();
        for (String verb : verbs) {
            entries.add(entry(verb, backend).put("object", "thing"));
            entries.add(entry(verb, backend).put("detail", JsonObject.of("keys", JsonArray.of("ONE_KEY", "TWO_KEY"))));
        }
        var told =
                new JsonObject().put("entries", entries).put("events", entries).putNull("cursor");
        platform.answers.put("/workspaces/" + backend + "/audit", told);
        platform.answers.put("/audit", told);

        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.named("[role=tab]", "Logs & files").click();
        browser.see("read the secret ONE_KEY, TWO_KEY");
        assertThat(browser.driver().findElements(By.cssSelector("agent-panel .record li")))
                .hasSize(entries.size());
        browser.named("header button", "System").click();
        await("all of them are listed")
                .until(() -> browser.driver()
                                .findElements(By.cssSelector("who-did-what .record li"))
                                .size()
                        == entries.size());
        assertThat(browser.complaints()).noneMatch(complaint -> complaint.contains("TypeError"));
    }

    @Test
    void a_section_that_cannot_be_shown_leaves_the_others_and_is_not_tried_at_every_frame() {
        String backend = studio().get(2);
        platform.answers.put(
                "/events/" + backend,
                JsonArray.of(new JsonObject()
                        .putNull("event_type")
                        .put("payload", new JsonObject())
                        .put("created_at", "2026-11-26T09:00:00Z")));
        platform.answers.put(
                "/workspaces/" + backend + "/audit",
                JsonObject.of(
                        "entries", JsonArray.of(entry("secret.changed", backend).put("object", "KEY"))));
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.named("[role=tab]", "Logs & files").click();

        browser.see("changed the secret KEY");
        browser.see("This section cannot be shown");
        for (int ticks = 0; ticks < 3; ticks++) {
            browser.script("return new Promise((done) => setTimeout(done, 1_000))"); // the clocks of the page move
        }
        assertThat(browser.complaints()).hasSizeLessThan(10);
    }

    private static JsonObject entry(String verb, String workspace) {
        return new JsonObject()
                .put("at", "2026-11-26T09:00:00Z")
                .put("verb", verb)
                .put("workspace_id", workspace)
                .put("verdict", "done")
                .put("actor", JsonObject.of("kind", "platform", "name", "molecule-registry"));
    }

    /** Of the table of docs/wire/audit.md: a verb without a point has the noun of the one before it. */
    private static List<String> verbs() throws IOException {
        List<String> verbs = new ArrayList<>();
        boolean listed = false;
        for (String line : Files.readAllLines(Documents.WIRE_AUDIT)) {
            if (line.startsWith("| Verbs |")) {
                listed = true;
            } else if (listed && !line.startsWith("|")) {
                break;
            } else if (listed) {
                String noun = "";
                var named = QUOTED.matcher(line.split("\\|")[1].replaceAll("\\([^)]*\\)", ""));
                while (named.find()) {
                    String word = named.group(1);
                    if (word.contains(".")) {
                        noun = word.substring(0, word.indexOf('.'));
                        verbs.add(word);
                    } else if (!word.equals("workspace_id")) {
                        verbs.add(noun + "." + word);
                    }
                }
            }
        }
        return verbs;
    }
}
