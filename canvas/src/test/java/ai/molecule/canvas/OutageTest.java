package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Agents that are offline are said to be, on every screen, though nobody asked for anything. */
class OutageTest extends VisitToThePage {

    private static final int MANY = 25;

    @Test
    void all_agents_offline_are_counted_in_the_header_the_inbox_and_the_verdict_with_the_frozen_restarts() {
        liveness(false);
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            ids.add(platform.add("Agent " + i, "Does its part", null, "online"));
        }
        platform.asks(ids.getFirst(), "publish the report", "");
        browser.go(platform.url()).see(MANY + " agents");
        browser.seeNot("offline");
        for (String id : ids) {
            platform.becomes(id, "offline", "WORKSPACE_OFFLINE", new JsonObject());
        }
        browser.script("const now = Date.now; Date.now = () => now() + 31_000"); // longer than a restart takes

        assertThat(browser.named("header button", MANY + " offline").isDisplayed())
                .isTrue();
        browser.see(MANY + " agents offline since ");
        browser.see("Automatic restarts are frozen");
        browser.see("It receives your decision when it is online again.");
        browser.picture("outage");
        assertThat(browser.seriousFindings()).isEmpty();

        browser.named("header button", "System").click();
        browser.see("1 problem, " + MANY + " agents offline");
        browser.seeNot("2026-11-28T03:15:00Z");
        browser.named("header button", MANY + " offline").click();
        browser.see(MANY + " of " + MANY);

        for (String id : ids) {
            platform.becomes(id, "online", "WORKSPACE_ONLINE", new JsonObject());
        }
        browser.seeNot("offline since");
    }

    @Test
    void one_that_is_restarted_at_once_is_no_outage() {
        liveness(true);
        String backend = studio().get(2);
        browser.go(platform.url()).see("Backend");
        platform.becomes(backend, "offline", "WORKSPACE_OFFLINE", new JsonObject());
        browser.see("Backend is offline");

        assertThat(browser.isThere(".outage")).isFalse();
        browser.script("const now = Date.now; Date.now = () => now() + 31_000");
        browser.see("1 agent offline since ");
        browser.seeNot("frozen");
    }

    private void liveness(boolean thawed) {
        platform.answers.put(
                "/admin/liveness",
                JsonObject.of(
                        "services",
                        JsonObject.of("registry", JsonObject.of("answered", true, "replica", "host/12")),
                        "subsystems",
                        JsonObject.of(
                                "registry.restart-freeze",
                                JsonObject.of(
                                        "ok",
                                        thawed,
                                        "seconds_ago",
                                        1,
                                        "says",
                                        "automatic restarts are frozen since 2026-11-28T03:15:00Z",
                                        "did",
                                        ""))));
    }
}
