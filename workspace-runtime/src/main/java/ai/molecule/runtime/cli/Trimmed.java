package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.Reply;

/** Passes on what a program says without the white space before and after it: programs end their answers with a line break. */
final class Trimmed {

    /** More white space than this is part of the answer. */
    private static final int HELD_MAX_CHARS = 4096;

    private final Reply reply;
    private String held = "";
    private boolean begun;

    Trimmed(Reply reply) {
        this.reply = reply;
    }

    void chunk(String text) {
        String all = held + (begun ? text : text.stripLeading());
        String words = all.stripTrailing();
        if (all.length() - words.length() > HELD_MAX_CHARS) {
            words = all;
        }
        held = all.substring(words.length());
        begun |= !words.isEmpty();
        reply.chunk(words);
    }
}
