package ai.molecule.cli.http;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Which platform is asked, and whether a person or a program reads its answer: for commands of several verbs, as {@link PlatformCommand} is for
 * those of one.
 */
public final class AnswerOptions {

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private PlatformOptions platform;

    @Option(names = "--json", description = "Print what the platform answered, as JSON.")
    private boolean json;

    /** @return the exit code */
    public int ask(MoleculeHome home, PlatformOptions.Asking<Integer> asking) {
        return platform.ask(home, System.getenv(), asking);
    }

    public boolean isJson() {
        return json;
    }

    /** What was done: the answer for programs, a sentence for people. */
    public int tell(Console console, JsonObject answer, String sentence) {
        if (json) {
            console.out(answer.encode());
        } else {
            console.say(sentence);
        }
        return 0;
    }

    /**
     * What there is: the answer for programs, a table for people.
     *
     * @param member of the answer, which lists objects
     * @param none what is said where there is nothing
     * @param cells of one of them, as many as {@code table} has heads
     */
    public int list(
            Console console,
            JsonObject answer,
            String member,
            String none,
            Columns table,
            Function<JsonObject, List<String>> cells) {
        var listed = answer.getJsonArray(member, new JsonArray());
        if (json || listed.isEmpty()) {
            return tell(console, answer, none);
        }
        listed.forEach(each -> table.row(cells.apply((JsonObject) each).toArray()));
        table.print(console);
        return 0;
    }
}
