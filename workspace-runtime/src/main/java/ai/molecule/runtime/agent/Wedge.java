package ai.molecule.runtime.agent;

import java.util.Optional;

/** Why an agent answers nothing any more: the first reason counts, until something is answered after all. */
public final class Wedge {

    private Optional<String> reason = Optional.empty();

    /** Something that only a person can put right. */
    public synchronized void stuck(String why) {
        reason = reason.or(() -> Optional.of(why));
    }

    public synchronized void free() {
        reason = Optional.empty();
    }

    public synchronized Optional<String> reason() {
        return reason;
    }
}
