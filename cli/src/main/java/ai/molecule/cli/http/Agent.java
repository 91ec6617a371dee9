package ai.molecule.cli.http;

import ai.molecule.cli.Printable;
import io.vertx.core.json.JsonObject;
import java.util.Objects;

/**
 * A workspace as far as the launcher shows it.
 *
 * @param name as it may be printed, like all of it
 * @param url where it listens, empty while it does not
 * @param parent the id of who leads it, empty at the top
 * @param outdated whether it runs with an older value of a secret
 */
public record Agent(
        String id, String name, String status, String runtime, String url, String parent, boolean outdated) {

    static Agent of(JsonObject workspace) {
        return new Agent(
                text(workspace, "id"),
                Printable.line(text(workspace, "name")),
                Printable.line(text(workspace, "status")),
                Printable.line(text(workspace, "runtime")),
                text(workspace, "url"),
                text(workspace, "parent_id"),
                Boolean.TRUE.equals(workspace.getValue("secrets_outdated")));
    }

    private static String text(JsonObject workspace, String name) {
        return Objects.requireNonNullElse(workspace.getString(name), "");
    }

    public boolean online() {
        return status.equals("online");
    }
}
