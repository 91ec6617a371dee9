package ai.molecule.cli.steer;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;

/** The approvals that wait, oldest first. */
final class Approvals {

    /** Pages of 50; who has more to decide decides some first. */
    private static final int PAGES_MAX = 20;

    private Approvals() {}

    static JsonArray pending(PlatformApi api) throws IOException {
        var all = new JsonArray();
        String after = "";
        for (int page = 0; page < PAGES_MAX; page++) {
            var next = api.list("/approvals/pending" + after);
            all.addAll(next);
            if (next.isEmpty()) {
                break;
            }
            after = "?after=" + next.getJsonObject(next.size() - 1).getString("id");
        }
        return all;
    }

    /** The only one whose id begins so. */
    static JsonObject named(PlatformApi api, String beginning) throws IOException {
        List<JsonObject> meant = pending(api).stream()
                .map(JsonObject.class::cast)
                .filter(one -> !beginning.isEmpty() && one.getString("id", "").startsWith(beginning))
                .toList();
        return switch (meant.size()) {
            case 0 ->
                throw LaunchFailure.usersTurn("Nothing that waits has an id that begins with " + beginning
                        + "; ./molecule inbox lists what does.");
            case 1 -> meant.getFirst();
            default -> throw LaunchFailure.usersTurn("Several ids begin with " + beginning + "; name more of it.");
        };
    }
}
