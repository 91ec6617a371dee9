package ai.molecule.canvas;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Organisations as they are met, told to a {@link StagedPlatform}: a company of eleven, idle, at work or with failures; and a crowd. */
final class StagedCompany {

    private StagedCompany() {}

    /** Director, then engineering, product and customers. */
    static List<String> of(StagedPlatform platform) {
        List<String> ids = new ArrayList<>();
        String director =
                platform.add("Director", "Decides what is done next and asks the teams for it", null, "online");
        ids.add(director);
        String engineering = platform.add("Engineering Lead", "Splits what is to be built", director, "online");
        ids.add(engineering);
        ids.add(platform.add("Frontend", "Builds what people see", engineering, "online"));
        ids.add(platform.add("Backend", "Builds what answers", engineering, "online"));
        ids.add(platform.add("Tester", "Tries to break it", engineering, "online"));
        String product = platform.add("Product Lead", "Knows why", director, "online");
        ids.add(product);
        ids.add(platform.add("Researcher", "Asks the users", product, "online"));
        ids.add(platform.add("Designer", "Draws it first", product, "online"));
        String customers = platform.add("Customer Lead", "Speaks with clubs", director, "online");
        ids.add(customers);
        ids.add(platform.add("Support", "Answers questions", customers, "online"));
        ids.add(platform.add("Customer Writer", "Explains and announces", customers, "online"));
        ids.forEach(
                id -> platform.becomes(id, "online", "WORKSPACE_ONLINE", JsonObject.of("url", "http://127.0.0.1:1")));
        platform.talk.said(
                ids.get(10),
                "Please write the announcement.",
                "I have written it up in report.html: 41 lines. Two checks fail, and it says so in its first line.");
        return ids;
    }

    static void works(StagedPlatform platform, List<String> studio) {
        platform.works(studio.get(0), "reads the plan");
        platform.works(studio.get(3), "fixing test 3 of 5");
        platform.works(studio.get(4), "./check · 46 of 48");
        platform.set(studio.get(3), "monthly_spend", 210);
        platform.set(studio.get(0), "monthly_spend", 90);
        platform.asks(
                studio.get(10),
                "wants to publish the report to ./out: report.html, 41 lines",
                "2 checks fail; it says so in line 1.");
        platform.recorded(
                "DELEGATION_SENT",
                studio.get(0),
                JsonObject.of(
                        "delegation_id", "d1", "target_id", studio.get(1), "task_preview", "make the checks pass"));
        platform.recorded(
                "DELEGATION_COMPLETE",
                studio.get(0),
                JsonObject.of(
                        "delegation_id",
                        "d0",
                        "target_id",
                        studio.get(8),
                        "response_preview",
                        "Three clubs wrote, all ask for dark mode."));
        platform.ephemeral(
                "ACTIVITY_LOGGED",
                studio.get(3),
                JsonObject.of("activity_type", "a2a_receive", "source_id", studio.get(1)));
    }

    /** Teams of 22 in which one in 13 works and one in 97 failed. */
    static void crowd(StagedPlatform platform, int more) {
        String lead = "";
        for (int i = 0; i < more; i++) {
            if (i % 22 == 0) {
                lead = platform.add("Lead " + i / 22, "Leads a team", null, "online");
            } else {
                String id = platform.add("Agent " + i, "Does its part", lead, "online");
                if (i % 13 == 0) {
                    platform.set(id, "active_tasks", 1);
                    platform.set(id, "current_task", "step " + i);
                }
                if (i % 97 == 0) {
                    platform.set(id, "status", "failed");
                }
            }
        }
    }

    /** One cannot start, one is paused, one fell silent, one has errors. */
    static void fails(StagedPlatform platform, List<String> studio) {
        platform.becomes(
                studio.get(3),
                "failed",
                "WORKSPACE_PROVISION_FAILED",
                JsonObject.of("error", "no key for Anthropic: set ANTHROPIC_API_KEY"));
        platform.becomes(studio.get(5), "paused", "WORKSPACE_PAUSED", new JsonObject());
        platform.becomes(studio.get(6), "offline", "WORKSPACE_OFFLINE", new JsonObject());
        platform.becomes(
                studio.get(9),
                "degraded",
                "WORKSPACE_DEGRADED",
                JsonObject.of("sample_error", "429 from the model provider"));
    }
}
