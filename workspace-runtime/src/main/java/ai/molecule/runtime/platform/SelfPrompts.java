package ai.molecule.runtime.platform;

import java.time.Duration;

/**
 * What an agent tells itself without being asked.
 *
 * @param initial once in its life; empty for nothing
 * @param idle again and again while it has nothing to do; empty for nothing
 * @param idleInterval the pause before each idle prompt, at least a second
 */
public record SelfPrompts(String initial, String idle, Duration idleInterval) {

    /** Nothing at all. */
    public static final SelfPrompts NONE = new SelfPrompts("", "", Duration.ofMinutes(10));

    public SelfPrompts {
        if (idleInterval.toSeconds() < 1) {
            throw new IllegalArgumentException("the pause is at least a second");
        }
    }
}
