package ai.molecule.sdk;

import java.util.function.Supplier;

/** For an agent that receives nothing: it lives and says so, until it is paused or deleted. */
final class HeartbeatLoop {

    private static final int REFUSALS_MAX = 2;

    private final RemoteAgentClient client;
    private final LoopOptions options;

    HeartbeatLoop(RemoteAgentClient client, LoopOptions options) {
        this.client = client;
        this.options = options;
    }

    String run() throws InterruptedException {
        var heartbeats = new Complaints("heartbeat");
        var states = new Complaints("state");
        int refusals = 0;
        for (int round = 0; !options.ended(round); round++) {
            attempt(
                    heartbeats,
                    () -> client.heartbeat(options.tasks().map(Supplier::get).orElse(CurrentTask.NONE)));
            try {
                WorkspaceState state = client.pollState();
                states.succeeded();
                refusals = 0;
                if (state.deleted() || state.paused() && !options.waitWhilePaused()) {
                    return state.status();
                }
            } catch (PlatformException e) {
                passOnInterrupt();
                states.failed(e);
                if (e.status() == 401 && ++refusals >= REFUSALS_MAX) {
                    throw client.tokenLost(e);
                }
            }
            Thread.sleep(client.heartbeatInterval().toMillis());
        }
        return AgentLoop.MAX_ITERATIONS;
    }

    private static void attempt(Complaints complaints, Runnable call) throws InterruptedException {
        try {
            call.run();
            complaints.succeeded();
        } catch (RuntimeException e) {
            passOnInterrupt();
            complaints.failed(e);
        }
    }

    private static void passOnInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
