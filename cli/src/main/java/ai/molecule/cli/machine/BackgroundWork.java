package ai.molecule.cli.machine;

import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What a platform that runs says of its own services and of their work in the background. */
public final class BackgroundWork {

    private static final String NAME = "platform";
    private static final String ADVICE = "docs/operations.md, What to do; GET /admin/liveness has it all.";

    private BackgroundWork() {}

    /** Nothing where the platform does not answer, or not to this caller. */
    public static List<Finding> of(PlatformApi api) {
        try {
            var answer = api.call("GET", "/admin/liveness");
            return answer.status() == 200 ? of(answer.body()) : List.of();
        } catch (IOException away) {
            return List.of();
        }
    }

    static List<Finding> of(JsonObject liveness) {
        List<Finding> findings = new ArrayList<>();
        var services = liveness.getJsonObject("services", new JsonObject());
        for (String service : services.fieldNames().stream().sorted().toList()) {
            if (!services.getJsonObject(service).getBoolean("answered", true)) {
                findings.add(Finding.note(NAME, "The service " + service + " does not answer.", ADVICE));
            }
        }
        var all = liveness.getJsonObject("subsystems", new JsonObject());
        for (String name : all.fieldNames().stream().sorted().toList()) {
            var one = all.getJsonObject(name);
            if (!one.getBoolean("ok", true)) {
                findings.add(Finding.note(NAME, name + ": " + one.getString("says", ""), ADVICE));
            }
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(NAME, "Its services and their work in the background are well."))
                : findings;
    }
}
