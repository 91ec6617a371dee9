package ai.molecule.cli.org;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.sdk.ByteOrderMark;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** An agent with everybody below it, as {@code ./molecule export} wrote it. */
record Bundle(JsonObject document) {

    /** What the platform takes at most. */
    private static final long BYTES_MAX = 16L * 1024 * 1024;

    private static final Duration IMPORT_TIMEOUT = Duration.ofMinutes(5);

    static boolean isOne(Path file) {
        return file.toString().endsWith(".json") && !Files.isDirectory(file);
    }

    /** @throws LaunchFailure that says what is wrong with it */
    static Bundle read(Path file) {
        try {
            if (!Files.exists(file)) {
                throw LaunchFailure.usersTurn("There is no " + file + ".");
            }
            if (Files.size(file) > BYTES_MAX) {
                throw LaunchFailure.usersTurn(file + " is longer than 16 MiB, which is what a platform takes.");
            }
            return new Bundle(new JsonObject(ByteOrderMark.strip(Files.readString(file))));
        } catch (DecodeException noJson) {
            throw LaunchFailure.usersTurn(file + " is not what ./molecule export writes.");
        } catch (IOException unreadable) {
            throw LaunchFailure.usersTurn("Cannot read " + file + ": " + unreadable.getMessage());
        }
    }

    /** @return the exit code */
    int makeAnew(PlatformApi api, Console console, boolean json) throws IOException {
        var answer = api.call("POST", "/bundles/import", document, IMPORT_TIMEOUT);
        String problem = answer.body().getString("problem");
        if (answer.status() / 100 != 2 && problem != null) {
            throw LaunchFailure.usersTurn("Nothing was made of it: " + problem + ".");
        }
        var made = Named.done("Nothing was made of it", answer);
        if (json) {
            console.out(made.encode());
        } else {
            tell(console, made);
        }
        return made.containsKey("error") ? 1 : 0;
    }

    private static void tell(Console console, JsonObject made) {
        console.out("%s  %s".formatted(made.getString("workspace_id", ""), Printable.line(made.getString("name", ""))));
        String error = made.getString("error");
        if (error != null) {
            console.say("note: " + Printable.line(error));
        }
        made.getJsonArray("children", new JsonArray()).forEach(child -> tell(console, (JsonObject) child));
    }
}
