package ai.molecule.cli.steer;

import ai.molecule.cli.LaunchFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What commands are told as {@code MEMBER=VALUE}, and rows that are named by how their id begins. */
final class Members {

    static final String VALUE = "A value that is JSON is taken as such (3, true, [\"a\"], null), any other as text.";

    private Members() {}

    static JsonObject of(List<String> members) {
        var object = new JsonObject();
        for (String member : members) {
            int at = member.indexOf('=');
            if (at < 1) {
                throw LaunchFailure.usersTurn(member + " is no MEMBER=VALUE.");
            }
            object.put(member.substring(0, at), value(member.substring(at + 1)));
        }
        return object;
    }

    private static @Nullable Object value(String text) {
        try {
            return Json.decodeValue(text);
        } catch (DecodeException anyText) {
            return text;
        }
    }

    /** The only row whose id begins so, or that is called so. @param called the member that names it */
    static String idOf(JsonArray rows, String called, String begin, String list) {
        List<JsonObject> all = rows.stream().map(JsonObject.class::cast).toList();
        List<String> meant = all.stream()
                .filter(row -> !begin.isEmpty()
                        && (row.getString("id", "").startsWith(begin) || begin.equals(row.getString(called))))
                .map(row -> row.getString("id", ""))
                .toList();
        if (meant.size() != 1) {
            throw LaunchFailure.usersTurn(
                    (meant.isEmpty() ? "None is called or begins " : "Several are called or begin ") + begin + "; "
                            + list + " shows them with their ids.");
        }
        return meant.getFirst();
    }
}
