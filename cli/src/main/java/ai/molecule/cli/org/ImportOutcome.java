package ai.molecule.cli.org;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** What became of an import, in words: the agents on standard output, the rest beside it. */
final class ImportOutcome {

    private final Console console;
    private final boolean waiting;
    private final boolean json;

    /**
     * @param waiting whether the agents were created paused
     * @param json as the platform answered, for programs
     */
    ImportOutcome(Console console, boolean waiting, boolean json) {
        this.console = console;
        this.waiting = waiting;
        this.json = json;
    }

    /** @return the exit code */
    int of(PlatformApi.Answer answer) {
        var body = answer.body();
        if (answer.status() != 201 && answer.status() != 207) {
            throw refused(answer);
        }
        if (json) {
            console.out(body.encode());
            return body.containsKey("error") ? 1 : 0;
        }
        body.getJsonArray("workspaces", new JsonArray())
                .forEach(each -> console.out("%s  %s".formatted(text(each, "id"), text(each, "name"))));
        body.getJsonArray("workspaces", new JsonArray()).forEach(this::tellSkipped);
        body.getJsonArray("warnings", new JsonArray()).forEach(warning -> console.say("note: " + warning));
        String error = body.getString("error");
        if (error != null) {
            console.say("%d agents of %s were created, but %s."
                    .formatted(body.getInteger("count", 0), body.getString("org"), error));
            return 1;
        }
        console.say("%d agents of %s were created%s"
                .formatted(
                        body.getInteger("count", 0),
                        body.getString("org"),
                        waiting ? " and are paused." : "; ./molecule ps shows how they are."));
        return 0;
    }

    private void tellSkipped(Object workspace) {
        if (workspace instanceof JsonObject entry && entry.containsKey("channels_skipped")) {
            entry.getJsonArray("channels_skipped")
                    .forEach(skipped -> console.say("note: %s: channel %s: %s"
                            .formatted(text(skipped, "workspace"), text(skipped, "type"), text(skipped, "reason"))));
        }
    }

    private static LaunchFailure refused(PlatformApi.Answer answer) {
        var body = answer.body();
        var sentence = new StringBuilder("The organisation was not imported: ")
                .append(body.getString("error", "no reason given"));
        body.getJsonArray("problems", new JsonArray())
                .forEach(problem -> sentence.append("\n  ").append(problem));
        if (answer.status() == 412) {
            body.getJsonArray("missing_env", new JsonArray())
                    .forEach(missing -> sentence.append("\n  ").append(nameOf(missing)));
            sentence.append("\nSet them as global secrets, or import with --force.");
        }
        return answer.status() >= 500
                ? LaunchFailure.broken(sentence.toString())
                : LaunchFailure.usersTurn(sentence.toString());
    }

    private static String nameOf(Object requirement) {
        return requirement instanceof JsonObject group
                ? "one of "
                        + String.join(
                                ", ",
                                group.getJsonArray("any_of").stream()
                                        .map(String::valueOf)
                                        .toList())
                : String.valueOf(requirement);
    }

    private static String text(Object object, String name) {
        return object instanceof JsonObject json ? Printable.line(json.getString(name, "")) : "";
    }
}
