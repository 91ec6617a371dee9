package ai.molecule.events.chats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Why the messenger did not do what it was asked, in words for the platform screen: no token, and nothing anybody said. */
public final class NotTaken extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Whether the same again is of no use: it will not have it. */
    private final boolean forGood;

    private final transient @Nullable Duration pause;

    NotTaken(String why, boolean forGood, @Nullable Duration pause) {
        super(why, null, false, false); // an answer, not a fault: no stack is needed
        this.forGood = forGood;
        this.pause = pause;
    }

    public String why() {
        return String.valueOf(getMessage());
    }

    public boolean forGood() {
        return forGood;
    }

    /** After which it asks to be asked again; null where it says nothing of that. */
    @Nullable
    Duration pause() {
        return pause;
    }
}
