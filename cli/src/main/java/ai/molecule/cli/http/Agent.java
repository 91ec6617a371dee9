package ai.molecule.cli.http;

import io.vertx.core.json.JsonObject;

/** A workspace as far as the launcher shows it. */
public record Agent(String id, String name, String status, String runtime) {

    static Agent of(JsonObject workspace) {
        return new Agent(
                workspace.getString("id", ""),
                workspace.getString("name", ""),
                workspace.getString("status", ""),
                workspace.getString("runtime", ""));
    }

    public boolean online() {
        return status.equals("online");
    }
}
