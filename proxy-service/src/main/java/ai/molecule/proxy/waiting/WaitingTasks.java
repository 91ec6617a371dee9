package ai.molecule.proxy.waiting;

import ai.molecule.common.bus.hints.ApprovalsChanged;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.messages.Dispatch;
import ai.molecule.proxy.leases.LeaseRunner;
import ai.molecule.proxy.queue.QueueOutcomeListener;
import io.vertx.core.Future;
import java.time.Duration;

/** The parts of this folder, put together. */
public final class WaitingTasks {

    private static final Loop.Times TIMES =
            new Loop.Times(Duration.ofSeconds(2), Duration.ofMillis(100), Duration.ofSeconds(10));

    private static final LeaseRunner.Pace PACE =
            new LeaseRunner.Pace(Duration.ofSeconds(10), Duration.ofSeconds(1), 64);

    private final WaitingRounds rounds;
    private final Loop loop;
    private final LeaseRunner<ReleasedCall> runner;

    /**
     * @param ends hears of the end of a task that went on with somebody's words
     * @param endings hears of the end of a message that waited for a busy agent, and then was let go
     * @param resumed told when the clock of a delegation goes again
     */
    public WaitingTasks(
            ServiceContext service,
            TaskWaits waits,
            Dispatch dispatch,
            Calls calls,
            TaskWaits.Ends ends,
            QueueOutcomeListener endings,
            Runnable resumed) {
        var reconcilers = service.reconcilers();
        this.runner = new LeaseRunner<>(
                service.vertx(),
                waits.released(),
                new ReleasedRun(waits.released(), dispatch, endings),
                PACE,
                reconcilers,
                "released-calls",
                "asks for the end of calls let go while a person was asked");
        this.rounds = new WaitingRounds(service.bus(), waits, dispatch, calls, () -> {
            runner.poke();
            resumed.run();
        });
        this.loop = new Loop(
                service.vertx(),
                reconcilers.add("waiting", "holds the clocks of what waits for a person"),
                "PostgreSQL",
                TIMES,
                rounds::run);
        waits.tell(ends, loop::poke);
        service.bus().listen(ApprovalsChanged.HINT, hint -> loop.poke());
    }

    /** Completes after the first round, so that no clock ran out before it could be stopped. */
    public Future<Void> start() {
        return rounds.run().otherwiseEmpty().onComplete(done -> {
            loop.start();
            runner.start();
        });
    }

    public Future<?> stop() {
        return Future.join(loop.stop(), runner.stop());
    }
}
