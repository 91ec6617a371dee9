package ai.molecule.cli.http;

import io.vertx.core.json.JsonObject;
import java.util.Objects;

/**
 * A workspace as far as the launcher shows it.
 *
 * @param url where it listens, empty while it does not
 */
public record Agent(String id, String name, String status, String runtime, String url) {

    static Agent of(JsonObject workspace) {
        return new Agent(
                workspace.getString("id", ""),
                workspace.getString("name", ""),
                workspace.getString("status", ""),
                workspace.getString("runtime", ""),
                Objects.requireNonNullElse(workspace.getString("url"), ""));
    }

    public boolean online() {
        return status.equals("online");
    }
}
