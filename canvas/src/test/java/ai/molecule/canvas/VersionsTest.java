package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Versions of an agent's settings: listed, held against how it is now, and gone back to with one press. */
class VersionsTest extends VisitToThePage {

    private String writer;
    private String path;

    @BeforeEach
    void organisation() {
        writer = platform.add("Writer", "Writes", null, "online");
        path = "/workspaces/" + writer + "/versions";
        platform.answers.put(
                path,
                new JsonObject()
                        .put(
                                "versions",
                                JsonArray.of(
                                        listed(3, "admin-token", change("files./configs/AGENTS.md", "a", "b")),
                                        listed(2, "workspace:" + writer, change("model", null, "openai:gpt-5")),
                                        listed(1, "platform")))
                        .putNull("next"));
        platform.answers.put(path + "/3", settings("openai:gpt-5", "one\ntwo\nfour", "<b>Writer</b>"));
        platform.answers.put(path + "/1", settings(null, "one\ntwo\nthree", "Writer"));
    }

    @Test
    void they_are_listed_with_what_changed_when_and_by_whom() {
        versionsOfWriter();

        browser.see("AGENTS.md");
        browser.see("how it is now · by an administrator");
        browser.see("by Writer itself");
        browser.see("Created");
        assertThat(platform.changes).isEmpty();
    }

    @Test
    void one_is_held_against_now_and_gone_back_to_and_what_it_leaves_to_do_is_said() {
        platform.answers.put(
                "POST " + path + "/1/restore",
                new JsonObject()
                        .put("status", "restored")
                        .put("n", 4)
                        .put("needs_restart", true)
                        .put("missing_secrets", JsonArray.of("OLD_KEY")));
        versionsOfWriter();
        browser.named("button.version", "Created").sendKeys(Keys.ENTER);
        browser.see("Restoring would change:");
        browser.see("its own choice");
        browser.see("−four");
        browser.see("+three");
        browser.see("<b>Writer</b>");
        browser.script("document.querySelector('.compared').scrollIntoView({block: 'center'})");
        browser.picture("versions-compared");

        browser.named("button", "Restore version 1").sendKeys(Keys.ENTER);

        browser.see("Writer is as in version 1 again.");
        browser.see("OLD_KEY");
        browser.named("button", "Restart it now").sendKeys(Keys.ENTER);
        await().untilAsserted(() -> assertThat(platform.changes)
                .containsExactly("POST " + path + "/1/restore {}", "POST /workspaces/" + writer + "/restart {}"));
        browser.assertCalm();
    }

    @Test
    void what_cannot_be_restored_is_said_and_nothing_is_claimed() {
        platform.refusals.put(path + "/1/restore", 503);
        versionsOfWriter();
        browser.named("button.version", "Created").click();

        browser.named("button", "Restore version 1").click();

        browser.see("refused here");
        browser.seeNot("is as in version 1 again");
    }

    private void versionsOfWriter() {
        browser.go(platform.url() + "#" + writer)
                .named("[role=tab]", "Settings")
                .click();
        browser.see("Created");
    }

    private static JsonObject change(String setting, @Nullable Object from, Object to) {
        return new JsonObject().put("setting", setting).put("from", from).put("to", to);
    }

    private static JsonObject listed(int n, String by, JsonObject... changes) {
        return new JsonObject()
                .put("n", n)
                .put("created_at", Instant.now().minusSeconds(3600L * (4 - n)).toString())
                .put("changed_with", by)
                .putNull("restored_from")
                .put("changes", JsonArray.of((Object[]) changes));
    }

    private static JsonObject settings(@Nullable String model, String file, String name) {
        return new JsonObject()
                .put(
                        "settings",
                        new JsonObject()
                                .put("name", name)
                                .put("model", model)
                                .put("files", JsonObject.of("/configs/AGENTS.md", file)));
    }
}
