package ai.molecule.runtime.agent;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what an executor says, for a test to look at while it is said. */
public final class RecordingReply implements Reply {

    public final List<String> pieces = new CopyOnWriteArrayList<>();

    @Override
    public void chunk(String text) {
        if (!text.isEmpty()) {
            pieces.add(text);
        }
    }

    @Override
    public void text(String text) {
        chunk(text);
    }

    @Override
    public void ask(String question) {
        throw new AssertionError("nothing to ask: " + question);
    }

    public String answer() {
        return String.join("", pieces);
    }
}
