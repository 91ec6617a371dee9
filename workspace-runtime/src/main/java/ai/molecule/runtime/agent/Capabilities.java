package ai.molecule.runtime.agent;

/**
 * What a kind of agent takes over from the platform; nearly none takes anything.
 *
 * @param heartbeat it says itself that it lives
 * @param scheduler it runs schedules
 * @param session it keeps sessions over restarts
 * @param statusManagement it moves its own status
 * @param retry it repeats what failed
 * @param activityDecoration it describes its own activity
 * @param channelDispatch it speaks on channels
 */
public record Capabilities(
        boolean heartbeat,
        boolean scheduler,
        boolean session,
        boolean statusManagement,
        boolean retry,
        boolean activityDecoration,
        boolean channelDispatch) {

    /** The platform does it all. */
    public static final Capabilities NONE = new Capabilities(false, false, false, false, false, false, false);
}
