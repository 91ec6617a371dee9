package ai.molecule.runtime.tools;

import java.util.Map;
import java.util.Optional;

/**
 * What tools work with.
 *
 * @param inbox absent where messages are pushed to the agent, so that it need not fetch them
 * @param call absent where nothing is kept of who calls
 * @param input absent where the caller cannot be asked anything in the middle of a call
 * @param handsOn whether work may be given to others; not while the initial prompt is answered, when they may just be starting
 */
public record Toolbox(
        Workspaces workspaces,
        Optional<Inbox> inbox,
        boolean handsOn,
        Optional<Call> call,
        Optional<CallersInput> input) {

    /** The call of a tool that is made, by a task that survives the agent's end. */
    public interface Call {

        /** The task's id; whoever asks a person names it, and no clock runs meanwhile. */
        String taskId();

        /** The same when the call is made again after the agent's end, and no other call's. */
        String key();

        /** What was noted before the agent's end, or before the task was parked. */
        Optional<String> noted();

        /** Whether it is kept. */
        boolean note(String text);
    }

    /** A program that answers the initial prompt has this variable, and with it whatever tools it starts. */
    public static final String HANDS_NOTHING_ON = "MOLECULE_NO_DELEGATION";

    /** With which work may be given to others. */
    public Toolbox(Workspaces workspaces, Optional<Inbox> inbox) {
        this(workspaces, inbox, true, Optional.empty(), Optional.empty());
    }

    /** The same; with the variable in the environment, whatever its value, without giving work to others. */
    public Toolbox in(Map<String, String> environment) {
        return environment.containsKey(HANDS_NOTHING_ON) ? handingNothingOn() : this;
    }

    public Toolbox handingNothingOn() {
        return new Toolbox(workspaces, inbox, false, call, input);
    }

    public Toolbox during(Call made) {
        return new Toolbox(workspaces, inbox, handsOn, Optional.of(made), input);
    }

    /** For one call, whose caller can be asked. */
    public Toolbox asking(CallersInput caller) {
        return new Toolbox(workspaces, inbox, handsOn, call, Optional.of(caller));
    }

    /** Whether a tool can be used with it. */
    public boolean offers(ToolSpec tool) {
        return handsOn || !tool.handsOn();
    }
}
