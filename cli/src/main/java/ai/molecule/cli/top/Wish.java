package ai.molecule.cli.top;

/** What somebody at the keys wants done that is not done by showing something else. */
sealed interface Wish {

    /** The screen as it was before. */
    record Leave() implements Wish {}

    /** Everything drawn anew, for when something else wrote on the screen. */
    record Redraw() implements Wish {}

    /** @param verb {@code pause}, {@code resume} or {@code restart} */
    record Change(String verb, String agent, String name) implements Wish {}

    /** @param branch with everybody below it */
    record Remove(String agent, String name, boolean branch) implements Wish {}

    /** @param decision {@code approved} or {@code denied} */
    record Decide(Needs.Need need, String decision, String name) implements Wish {}

    /** A message. */
    record Say(String agent, String name, String words) implements Wish {}
}
