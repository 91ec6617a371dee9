package ai.molecule.cli.machine;

import ai.molecule.cli.Console;
import io.vertx.core.json.JsonObject;

/**
 * What was found of one thing.
 *
 * @param says how it is, and what that means
 * @param todo what to do about it; empty where nothing is
 */
public record Finding(String name, Verdict verdict, String says, String todo) {

    public Finding {
        says = Console.called(says);
        todo = Console.called(todo);
    }

    /** Whether a platform can start. */
    public enum Verdict {
        /** As it should be. */
        OK("ok"),
        /** It starts, and something does not work or not well. */
        NOTE("note"),
        /** It does not start, or not for long. */
        BAD("bad");

        private final String word;

        Verdict(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    static Finding ok(String name, String says) {
        return new Finding(name, Verdict.OK, says, "");
    }

    static Finding note(String name, String says, String todo) {
        return new Finding(name, Verdict.NOTE, says, todo);
    }

    static Finding bad(String name, String says, String todo) {
        return new Finding(name, Verdict.BAD, says, todo);
    }

    public JsonObject toJson() {
        return new JsonObject()
                .put("name", name)
                .put("verdict", verdict.word())
                .put("says", says)
                .put("todo", todo);
    }
}
