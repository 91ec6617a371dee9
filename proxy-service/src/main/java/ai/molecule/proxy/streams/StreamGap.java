package ai.molecule.proxy.streams;

/** What was asked for is not kept, so going on would leave something out. The message is shown to the client. */
public final class StreamGap extends RuntimeException {

    StreamGap(String why) {
        super(why, null, false, false);
    }

    /** The event that says so. */
    public String event(String rpcId) {
        return EventText.ofData(EventText.error(rpcId, "stream-gap", "stream gap: " + getMessage()))
                .toString();
    }
}
