package ai.molecule.runtime.tools;

import java.util.Map;
import java.util.Optional;

/**
 * What tools work with.
 *
 * @param inbox absent where messages are pushed to the agent, so that it need not fetch them
 * @param handsOn whether work may be given to others; not while the initial prompt is answered, when they may just be starting
 */
public record Toolbox(Workspaces workspaces, Optional<Inbox> inbox, boolean handsOn) {

    /** A program that answers the initial prompt has this variable, and with it whatever tools it starts. */
    public static final String HANDS_NOTHING_ON = "MOLECULE_NO_DELEGATION";

    /** With which work may be given to others. */
    public Toolbox(Workspaces workspaces, Optional<Inbox> inbox) {
        this(workspaces, inbox, true);
    }

    /** The same; with the variable in the environment, whatever its value, without giving work to others. */
    public Toolbox in(Map<String, String> environment) {
        return environment.containsKey(HANDS_NOTHING_ON) ? handingNothingOn() : this;
    }

    public Toolbox handingNothingOn() {
        return new Toolbox(workspaces, inbox, false);
    }

    /** Whether a tool can be used with it. */
    public boolean offers(ToolSpec tool) {
        return handsOn || !tool.handsOn();
    }
}
