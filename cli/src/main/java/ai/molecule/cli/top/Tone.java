package ai.molecule.cli.top;

/** What a piece of text means to whoever looks; the terminal says which colour that is, or none. */
enum Tone {
    PLAIN,
    FAINT,
    STRONG,
    GOOD,
    BUSY,
    BAD,
    /** Of what has the keys. */
    ACCENT,
    /** The line at the top and the one at the bottom. */
    BAR,
    /** In a bar: what wants to be seen. */
    BAR_WARNING,
    /** What the keys mean. */
    CHOSEN,
    /** What they would mean in a part that does not have them. */
    REMEMBERED
}
