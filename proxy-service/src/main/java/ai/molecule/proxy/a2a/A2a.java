package ai.molecule.proxy.a2a;

import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.config.Door;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.calls.A2aLimits;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.calls.TaskWatch;
import ai.molecule.proxy.a2a.messages.AgentCards;
import ai.molecule.proxy.a2a.messages.BusyQueue;
import ai.molecule.proxy.a2a.messages.Dispatch;
import ai.molecule.proxy.a2a.messages.Mailbox;
import ai.molecule.proxy.a2a.messages.MessageService;
import ai.molecule.proxy.a2a.messages.Rejoining;
import ai.molecule.proxy.a2a.messages.ReplyListener;
import ai.molecule.proxy.a2a.messages.SystemMessages;
import ai.molecule.proxy.a2a.tasks.TaskService;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.known.KnownTasks;
import ai.molecule.proxy.policy.PolicyBook;
import ai.molecule.proxy.push.PushService;
import ai.molecule.proxy.streams.Streams;
import ai.molecule.proxy.tasks.TaskLog;
import java.time.Clock;
import java.util.UUID;

/**
 * The parts of this folder, put together.
 *
 * @param admission who may write to whom
 * @param policy what rules say besides
 * @param tasks what is asked about tasks
 * @param dispatch for what the platform sends by itself
 * @param system for what the platform has to say
 * @param calls that are in flight
 */
public record A2a(
        A2aRoutes routes,
        Admission admission,
        PolicyBook policy,
        TaskService tasks,
        Dispatch dispatch,
        SystemMessages system,
        Calls calls) {

    public static A2a of(
            ServiceContext service,
            Guards guards,
            CredentialWatch<Object> open,
            SafeDialer dialer,
            ActivityWriter activity,
            ReplyListener replies,
            BusyQueue queue,
            TaskWatch watch,
            TaskLog tasks,
            KnownTasks known,
            PushService push,
            Streams streams,
            RowIds ids,
            A2aLimits limits) {
        var calls = Calls.of(service, dialer, activity, watch, tasks, known, streams, ids, limits);
        var policy = new PolicyBook(service.bus(), calls.routes(), activity, ids, Clock.systemUTC());
        var admission = new Admission(
                guards,
                calls.routes(),
                policy,
                calls.wakeups(),
                limits.comeBack(),
                dialer,
                service.config().isOpen(Door.MESSAGES));
        var mailbox = new Mailbox(activity, calls.records());
        var dispatch = new Dispatch(admission, mailbox, calls, UUID::randomUUID);
        var rejoining = new Rejoining(service.vertx(), dispatch, calls);
        var cards = new AgentCards(service.vertx(), dialer);
        var messages = new MessageService(
                admission, mailbox, calls, replies, queue, watch, rejoining, cards, UUID::randomUUID);
        var followed = new TaskService(service.vertx(), messages, admission, streams, calls, known, push, ids::next);
        return new A2a(
                new A2aRoutes(followed, calls, admission, open),
                admission,
                policy,
                followed,
                dispatch,
                new SystemMessages(admission, calls, UUID::randomUUID),
                calls);
    }
}
