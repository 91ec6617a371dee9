package ai.molecule.canvas;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** House rules, people who are told, and senders, told to a {@link StagedPlatform}. */
final class StagedHouse {

    static final String RULE = "4c1e0000-0000-4000-8000-000000000001";
    static final String TARGET = "7a1e0000-0000-4000-8000-000000000001";
    static final String FAILING = "7a1e0000-0000-4000-8000-000000000002";

    private StagedHouse() {}

    static void of(StagedPlatform platform, String lead) {
        platform.answers.put(
                "/instructions",
                JsonArray.of(
                        rule(
                                RULE,
                                "global",
                                null,
                                "No tracking",
                                "Never add a tracker to a page, and take out those that are there."),
                        rule(
                                        "4c1e0000-0000-4000-8000-000000000002",
                                        "team",
                                        lead,
                                        "Red first",
                                        "A finding gets a test that fails first.")
                                .put("priority", 5),
                        rule(
                                        "4c1e0000-0000-4000-8000-000000000003",
                                        "workspace",
                                        lead,
                                        "Old words",
                                        "Say “club”, not “tenant”.")
                                .put("enabled", false)));
        platform.answers.put("/settings/spending", JsonObject.of("run_limit", 5).putNull("day_cap"));
        platform.answers.put(
                "/policy",
                JsonObject.of(
                        "rules",
                        JsonArray.of(
                                refusing("no-tools-at-night", null, null, "tool == 'run_command'")
                                        .put("mode", "enforce")
                                        .put("says", "ask a person first"),
                                refusing(
                                        "no-cheap-callers",
                                        lead,
                                        "Engineering Lead",
                                        "caller.kind == 'workspace' && caller.tier < 2 && method.startsWith('message/')"))));
        platform.answers.put(
                "/notifications/targets",
                JsonArray.of(
                        target(TARGET, "Kim’s mail", "Kim", "email", "smtps://mail.example.org:465")
                                .put("to", "kim@example.org")
                                .put("from", "molecule@example.org")
                                .putNull("user")
                                .put("plain", false)
                                .put("quiet_from", "22:00")
                                .put("quiet_to", "07:00")
                                .put("digest_at", "08:00")
                                .put("zone", "Europe/Berlin")
                                .put("deputy", FAILING)
                                .put(
                                        "deputy_until",
                                        Instant.now().plusSeconds(90_000).toString())
                                .put(
                                        "delivered_at",
                                        Instant.now().minusSeconds(3_600).toString()),
                        target(FAILING, "the on-call channel", "operators", "ntfy", "https://ntfy.example.org/on-call")
                                .put("kinds", JsonArray.of("approval", "question"))
                                .put("waiting", 3)
                                .put(
                                        "failing_since",
                                        Instant.now().minusSeconds(7_200).toString())
                                .put("last_error", "answered 500")));
        platform.answers.put(
                "/webhooks",
                JsonArray.of(
                        sender("github", null, "{{repository.name}}: {{issue.title}}")
                                .put("events", JsonArray.of("issues.opened", "pull_request.opened"))
                                .put("limit", 1.5),
                        sender("tickets", lead, "tickets {{event}}")));
    }

    private static JsonObject refusing(
            String name, @Nullable String branch, @Nullable String branchName, String refuseWhen) {
        return new JsonObject()
                .put("name", name)
                .put("branch", branch)
                .put("branch_name", branchName)
                .put("mode", "observe")
                .put("refuse_when", refuseWhen)
                .put("says", "");
    }

    /** What trying a rule found. */
    static JsonObject trial(int calls, int refused) {
        return JsonObject.of(
                "calls",
                calls,
                "unknown",
                2,
                "more",
                false,
                "rules",
                JsonArray.of(JsonObject.of(
                        "would_refuse",
                        refused,
                        "latest",
                        JsonArray.of(JsonObject.of(
                                "caller_name",
                                "Tester",
                                "target_name",
                                "Director",
                                "method",
                                "message/send",
                                "times",
                                refused,
                                "last_at",
                                Instant.now().minusSeconds(600).toString())))));
    }

    private static JsonObject rule(String id, String scope, @Nullable String target, String title, String content) {
        return new JsonObject()
                .put("id", id)
                .put("scope", scope)
                .put("scope_target", target)
                .put("title", title)
                .put("content", content)
                .put("priority", 0)
                .put("enabled", true);
    }

    private static JsonObject target(String id, String name, String who, String channel, String url) {
        return new JsonObject()
                .put("id", id)
                .put("name", name)
                .put("who", who)
                .put("channel", channel)
                .put("url", url)
                .putNull("kinds")
                .putNull("quiet_from")
                .putNull("quiet_to")
                .putNull("digest_at")
                .put("zone", "UTC")
                .putNull("deputy")
                .putNull("deputy_until")
                .put("enabled", true)
                .put("waiting", 0)
                .putNull("delivered_at")
                .putNull("failing_since")
                .putNull("last_error");
    }

    private static JsonObject sender(String type, @Nullable String to, String title) {
        return new JsonObject()
                .put("type", type)
                .put("to", to)
                .put("title", title)
                .put("brief", "{{body}}")
                .putNull("events")
                .putNull("limit");
    }
}
