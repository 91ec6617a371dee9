package ai.molecule.cli.top;

/**
 * What somebody pressed.
 *
 * @param codePoint of {@link Kind#TYPED} and {@link Kind#PASTED}, else 0
 */
record Key(Kind kind, int codePoint) {

    /** Which. */
    enum Kind {
        TYPED,
        /** Belongs to a text, and is never a command. */
        PASTED,
        UP,
        DOWN,
        LEFT,
        RIGHT,
        PAGE_UP,
        PAGE_DOWN,
        HOME,
        END,
        ENTER,
        ESCAPE,
        TAB,
        BACK_TAB,
        BACKSPACE,
        CLEAR,
        REDRAW,
        LEAVE,
        /** Nothing that is known here. */
        OTHER
    }

    static Key of(Kind kind) {
        return new Key(kind, 0);
    }

    static Key typed(int codePoint) {
        return new Key(Kind.TYPED, codePoint);
    }
}
