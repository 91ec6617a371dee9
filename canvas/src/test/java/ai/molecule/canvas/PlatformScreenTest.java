package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The platform itself: which services answer, what they do by themselves, how much waits. */
class PlatformScreenTest extends VisitToThePage {

    @BeforeEach
    void organisation() {
        studio();
        tells(true, "3 asked, 0 gave up");
        platform.answers.put("/metrics", Buffer.buffer("""
                        # TYPE molecule_queue_waiting gauge
                        molecule_queue_waiting 7.0
                        molecule_delegations_open{status="pending"} 2.0
                        molecule_delegations_open{status="queued"} 3.0
                        molecule_events_lag_seconds NaN
                        """));
    }

    @Test
    void all_that_runs_is_seen_with_how_much_waits() {
        browser.go(platform.url()).named("header button", "System").click();

        browser.see("All systems operational");
        assertThat(browser.named(".service", "registry").getText()).contains("pid 12 on host");
        assertThat(browser.named(".subsystems li", "proxy · delegations").getText())
                .contains("carries out what was handed on")
                .contains("3 asked, 0 gave up")
                .contains("4 s ago");
        assertThat(browser.named("figure", "messages for busy agents").getText())
                .contains("7");
        assertThat(browser.named("figure", "open delegations").getText()).contains("5");
        browser.seeNot("how late events come"); // which nobody knows now
        assertThat(browser.driver().getCurrentUrl()).endsWith("#platform");
        browser.assertCalm();
        browser.picture("platform");
        assertThat(browser.seriousFindings()).isEmpty();
    }

    @Test
    void who_did_what_is_read_page_by_page_and_by_kind() {
        platform.answers.put(
                "/audit",
                new JsonObject()
                        .put(
                                "entries",
                                JsonArray.of(
                                        entry("workspace.paused", "done", null),
                                        entry("request.refused", "refused", "workspace token required")))
                        .put("cursor", "17"));
        browser.go(platform.url() + "#platform");

        browser.see("Kim paused Backend");
        browser.see("Kim was refused: POST /workspaces/:id/a2a: workspace token required");
        platform.answers.put(
                "/audit",
                new JsonObject()
                        .put("entries", JsonArray.of(entry("workspace.resumed", "done", null)))
                        .putNull("cursor"));
        browser.named("who-did-what button", "Load more").click();
        browser.see("Kim resumed Backend");
        browser.see("Kim paused Backend");

        browser.script("const kind = document.querySelector('.record-head select'); kind.value = 'workspace';"
                + " kind.dispatchEvent(new Event('change'))");
        browser.seeNot("Kim was refused");
        browser.picture("who-did-what");
        assertThat(browser.seriousFindings()).isEmpty();
    }

    private JsonObject entry(String verb, String verdict, @Nullable String reason) {
        return new JsonObject()
                .put("at", "2026-11-26T09:00:00Z")
                .put("verb", verb)
                .put("object", "POST /workspaces/:id/a2a")
                .put("workspace_id", platform.idOf("Backend"))
                .put("verdict", verdict)
                .put("reason", reason)
                .put("actor", JsonObject.of("kind", "person", "name", "Kim", "address", "192.0.2.7"));
    }

    @Test
    void what_fails_stands_first_and_mends_before_ones_eyes() {
        tells(false, "<b>the database</b> does not answer");
        browser.go(platform.url() + "#platform");
        browser.see("2 problems");
        assertThat(browser.find(".subsystems li").getText())
                .contains("proxy · delegations")
                .contains("<b>the database</b> does not answer");
        assertThat(browser.named(".service", "events").getText()).contains("does not answer");
        browser.picture("platform-failing");

        tells(true, "3 asked, 0 gave up");

        browser.see("All systems operational");
    }

    @Test
    void what_cannot_be_read_says_so_and_keeps_what_was_seen() {
        browser.go(platform.url() + "#platform").see("All systems operational");

        platform.answers.put("/admin/liveness", JsonObject.of("error", "no such thing"));

        browser.see("The status cannot be read now: no such thing What you see is from before.");
        browser.named(".service", "registry");
    }

    @Test
    void a_key_leads_there_and_another_away_and_then_nothing_is_asked_any_more() {
        browser.go(platform.url()).named("button.card", "Backend").sendKeys("p");
        browser.see("All systems operational");

        keys("m");

        browser.find("organisation-map");
        await().until(() -> !browser.isThere("platform-screen"));
    }

    private void tells(boolean well, String did) {
        platform.answers.put(
                "/admin/liveness",
                JsonObject.of(
                        "services",
                        JsonObject.of(
                                "registry",
                                JsonObject.of("answered", true, "replica", "host/12"),
                                "events",
                                JsonObject.of("answered", well, "replica", "host/13", "open_doors", new JsonArray())),
                        "subsystems",
                        JsonObject.of(
                                "registry.sweep",
                                JsonObject.of(
                                        "ok",
                                        true,
                                        "seconds_ago",
                                        1.2,
                                        "says",
                                        "takes offline who fell silent",
                                        "did",
                                        "20 looked at"),
                                "proxy.delegations",
                                JsonObject.of(
                                        "ok",
                                        well,
                                        "seconds_ago",
                                        4.4,
                                        "says",
                                        "carries out what was handed on",
                                        "did",
                                        did))));
    }
}
