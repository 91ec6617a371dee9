package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.canvas.Browser;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** So many agents that the page names only some of them: what becomes of the others reaches it in digests, through the front door. */
@Tag("full")
@ExtendWith(SharedPlatform.class)
class LargeOrganisationIT {

    private static final int TEAMS = 7;
    private static final int TEAM = 90;

    @Test
    void what_an_agent_does_whose_name_is_not_on_the_page_is_counted_there_and_found_in_its_list(Platform platform) {
        platform.post(
                201,
                "/org/import",
                "{\"force\":true,\"template\":{\"name\":\"Large\",\"workspaces\":[" + teams() + "]}}");
        try (var browser = Browser.open()) {
            browser.size(1440, 900).go(platform.url + "/").find("organisation-map .label");
            assertThat(browser.isThere("canvas.far")).isTrue();
            String far = StreamSupport.stream(platform.get("/workspaces").spliterator(), false)
                    .filter(row -> row.path("name").asText().equals("Agent 3-40"))
                    .findFirst()
                    .orElseThrow()
                    .path("id")
                    .asText();
            assertThat(browser.isThere("[data-id='" + far + "']")).isFalse();

            platform.post(
                    200,
                    "/registry/heartbeat",
                    "{\"workspace_id\":\"" + far
                            + "\",\"error_rate\":0,\"sample_error\":\"\",\"active_tasks\":1,\"uptime_seconds\":1,\"current_task\":\"counts the pages\"}");

            browser.see("1 running");
            browser.named("button", "List").click();
            browser.find("input[type=search]").sendKeys("working");
            browser.see("counts the pages");
            browser.assertCalm();
        }
    }

    private static String teams() {
        return IntStream.range(0, TEAMS)
                .mapToObj(team ->
                        "{\"name\":\"Large %d\",\"external\":true,\"runtime\":\"external\",\"url\":\"http://93.184.0.1:9000\",\"children\":[%s]}"
                                .formatted(
                                        team,
                                        IntStream.range(1, TEAM)
                                                .mapToObj(i ->
                                                        "{\"name\":\"Agent %d-%d\",\"external\":true,\"runtime\":\"external\",\"url\":\"http://93.184.0.1:9000\"}"
                                                                .formatted(team, i))
                                                .collect(Collectors.joining(","))))
                .collect(Collectors.joining(","));
    }
}
