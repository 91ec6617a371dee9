package ai.molecule.cli.top;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.approvals.Decider;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.SocketMessages;
import ai.molecule.cli.steer.HeardAnswer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Brings to a dashboard what happens on a platform, and carries out what is wanted. What happens comes over {@code /ws?since=}; a platform that
 * is away is asked again each second, and gone on with where it was left. What no event tells is asked for now and then, so that with
 * everything together a look costs some 100 of the 600 requests that a credential has in a minute.
 */
final class Feed implements AutoCloseable {

    /** Takes what came, one after the other; waits while there is much of it. */
    interface Arrivals {
        void put(Consumer<Dashboard> change) throws InterruptedException;
    }

    static final String NOT_UNDERSTOOD = "what it says is not understood here";

    private static final int HISTORY = 200;
    private static final Duration OPEN = Duration.ofSeconds(15);

    /** The platform sends a ping every 30 s at least. */
    private static final Duration SILENCE_MAX = Duration.ofSeconds(95);

    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration INBOX_EVERY = Duration.ofSeconds(30);
    private static final Duration INBOX_AT_ONCE = Duration.ofSeconds(2);
    private static final Duration HEALTH_EVERY = Duration.ofSeconds(5);
    private static final Duration USAGE_EVERY = Duration.ofSeconds(30);
    private static final Duration AGENT_EVERY = Duration.ofSeconds(5);

    /** Who runs down the list is not asked about everybody on the way. */
    private static final Duration AGENT_STAYS = Duration.ofMillis(300);

    private static final Duration ANSWER_MAX = Duration.ofSeconds(150);
    private static final int WISHES_MAX = 16;
    private static final int ANSWER_MAX_CHARS = 500;

    private final PlatformApi api;
    private final Arrivals arrivals;
    private final CountDownLatch over = new CountDownLatch(1);
    private final Semaphore wishes = new Semaphore(WISHES_MAX);
    private volatile long position = -1;
    private volatile boolean listIsDue;
    private volatile boolean inboxIsDue = true;
    private volatile String agent = "";

    Feed(PlatformApi api, Arrivals arrivals) {
        this.api = api;
        this.arrivals = arrivals;
    }

    void start() {
        Thread.ofVirtual().name("top-live").start(() -> untilOver(this::live));
        Thread.ofVirtual().name("top-asks").start(() -> untilOver(this::ask));
        Thread.ofVirtual().name("top-agent").start(() -> untilOver(this::askAboutAgent));
    }

    /** The list of agents is not whole any more. */
    void listIsDue() {
        listIsDue = true;
    }

    /** Whose particulars are shown; empty for nobody's. */
    void lookAt(String id) {
        agent = id;
    }

    @Override
    public void close() {
        over.countDown();
    }

    // --- what happens

    private interface Work {
        void run() throws InterruptedException;
    }

    private static void untilOver(Work work) {
        try {
            work.run();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOverAfter(Duration pause) throws InterruptedException {
        return over.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void live() throws InterruptedException {
        do {
            try {
                begin();
                var messages = new SocketMessages(this::heard);
                var socket = api.socket("/ws?since=" + position, messages).get(OPEN.toSeconds(), TimeUnit.SECONDS);
                arrivals.put(Dashboard::isLive);
                inboxIsDue = true;
                listIsDue = true; // what no event is kept of may be another now
                boolean closed = messages.untilClosed(SILENCE_MAX);
                socket.abort();
                lost(closed ? "the platform ended the connection" : "the platform said nothing for 95 s");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof WebSocketHandshakeException refused
                        && refused.getResponse().statusCode() == 400) {
                    position = -1; // its log is another one now
                }
                var cause = e.getCause();
                lost(why(cause == null ? e : cause));
            } catch (TimeoutException | IOException e) {
                lost(why(e));
            } catch (DecodeException | ClassCastException e) {
                lost(NOT_UNDERSTOOD);
            }
        } while (!isOverAfter(AGAIN));
    }

    /** The position first: what happens while the list is read comes again and changes nothing. Once only, what follows is told. */
    private void begin() throws IOException, InterruptedException {
        if (position >= 0) {
            return;
        }
        var past = api.list("/events?limit=" + HISTORY);
        long newest = past.isEmpty() ? 0 : past.getJsonObject(0).getLong("seq", 0L);
        var all = api.list("/workspaces");
        arrivals.put(dashboard -> {
            dashboard.agents(all);
            for (int at = past.size() - 1; at >= 0; at--) {
                var row = past.getJsonObject(at);
                dashboard.happened(
                        text(row, "created_at"),
                        text(row, "event_type"),
                        text(row, "workspace_id"),
                        row.getJsonObject("payload", new JsonObject()),
                        "");
            }
        });
        position = newest;
    }

    private void lost(String because) throws InterruptedException {
        arrivals.put(dashboard -> dashboard.isLost(because));
    }

    private static String why(Throwable failure) {
        return switch (failure) {
            case ConnectException refused -> "nothing listens there";
            case HttpTimeoutException late -> "no answer in time";
            case TimeoutException late -> "no answer in time";
            case WebSocketHandshakeException refused ->
                "refused with " + refused.getResponse().statusCode();
            default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
        };
    }

    private boolean heard(String message) {
        try {
            var event = new JsonObject(message);
            String type = text(event, "event");
            var payload = event.getValue("payload") instanceof JsonObject said ? said : new JsonObject();
            position = Math.max(position, event.getLong("seq", 0L));
            switch (type) {
                case "INBOX_CHANGED" -> inboxIsDue = true;
                case "GAP" -> listIsDue = true;
                default -> {} // told to the dashboard as it is
            }
            String words = words(type, payload);
            arrivals.put(dashboard ->
                    dashboard.hear(text(event, "timestamp"), type, text(event, "workspace_id"), payload, words));
        } catch (DecodeException | ClassCastException noEvent) {
            return true; // whoever sent it, the next may be one
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return false;
        }
        return over.getCount() > 0;
    }

    private static String words(String type, JsonObject payload) {
        if (type.equals("A2A_RESPONSE") && payload.getValue("response_body") instanceof JsonObject body) {
            return answer(body);
        }
        return type.equals("AGENT_MESSAGE") ? text(payload, "message") : "";
    }

    private static String answer(JsonObject body) {
        var heard = new HeardAnswer();
        heard.hear(body);
        heard.end();
        String failure = heard.failure();
        return failure == null ? String.join(" ", heard.lines()) : "failed: " + failure;
    }

    private static String text(JsonObject row, String member) {
        return row.getValue(member) instanceof String said ? said : "";
    }

    // --- what is asked now and then

    private void ask() throws InterruptedException {
        long inboxAt = longAgo();
        long healthAt = longAgo();
        long usageAt = longAgo();
        long listAt = System.nanoTime();
        Duration listEvery = Duration.ofSeconds(15);
        boolean whoIsKnown = false;
        while (!isOverAfter(TICK)) {
            if (position < 0) {
                continue; // not even begun
            }
            if (!whoIsKnown) {
                whoIsKnown = true;
                askWhoDecides();
            }
            if (isPast(inboxAt, inboxIsDue ? INBOX_AT_ONCE : INBOX_EVERY)) {
                inboxIsDue = false;
                inboxAt = System.nanoTime();
                asked("/inbox?limit=200", Dashboard::inbox, because -> {});
            }
            if (isPast(healthAt, HEALTH_EVERY)) {
                healthAt = System.nanoTime();
                asked(
                        "/admin/liveness",
                        Dashboard::liveness,
                        because -> arrivals.put(dashboard -> dashboard.livenessIsUnknown(because)));
            }
            if (isPast(usageAt, USAGE_EVERY)) {
                usageAt = System.nanoTime();
                asked(
                        "/usage?by=agent",
                        (dashboard, usage) -> dashboard.usage(usage.getJsonArray("rows", new JsonArray())),
                        because -> {});
            }
            if (isPast(listAt, listIsDue ? INBOX_AT_ONCE : listEvery)) {
                listIsDue = false;
                long began = System.nanoTime();
                readList();
                listAt = System.nanoTime();
                // A long list is a load: a fiftieth of the time at most goes into reading it.
                listEvery = Duration.ofNanos(Math.max(Duration.ofSeconds(15).toNanos(), 50 * (listAt - began)));
            }
        }
    }

    private interface Change {
        void make(Dashboard dashboard, JsonObject answer);
    }

    private interface Otherwise {
        void tell(String because) throws InterruptedException;
    }

    private void asked(String path, Change change, Otherwise otherwise) throws InterruptedException {
        try {
            var answer = api.call("GET", path);
            if (answer.status() == 200) {
                arrivals.put(dashboard -> change.make(dashboard, answer.body()));
            } else {
                otherwise.tell(answer.body().getString("error", "no reason given") + " (" + answer.status() + ")");
            }
        } catch (IOException e) {
            otherwise.tell(why(e));
        } catch (DecodeException | ClassCastException e) {
            otherwise.tell(NOT_UNDERSTOOD);
        }
    }

    /** Without an answer everything is offered: the platform refuses what is not theirs. */
    private void askWhoDecides() throws InterruptedException {
        try {
            var decider = Decider.of(api.call("GET", "/people/me"));
            arrivals.put(dashboard -> dashboard.decidesAs(decider));
        } catch (IOException | DecodeException | ClassCastException away) {
            // the socket tells of that
        }
    }

    private void readList() throws InterruptedException {
        try {
            var all = api.list("/workspaces");
            arrivals.put(dashboard -> dashboard.agents(all));
        } catch (IOException | DecodeException | ClassCastException away) {
            // the socket tells of that
        }
    }

    private void askAboutAgent() throws InterruptedException {
        String shown = "";
        String wanted = "";
        long since = System.nanoTime();
        long readAt = longAgo();
        while (!isOverAfter(TICK)) {
            String now = agent;
            if (!now.equals(wanted)) {
                wanted = now;
                since = System.nanoTime();
            }
            boolean isOther = !wanted.equals(shown) && isPast(since, AGENT_STAYS);
            if (!wanted.isEmpty()
                    && position >= 0
                    && (isOther || wanted.equals(shown) && isPast(readAt, AGENT_EVERY))) {
                shown = wanted;
                readAgent(wanted);
                readAt = System.nanoTime();
            }
        }
    }

    private void readAgent(String id) throws InterruptedException {
        try {
            String path = "/workspaces/" + PlatformApi.segment(id);
            var read = Particulars.of(
                    id, api.list(path + "/activity?limit=" + Particulars.ROWS_MAX), api.list(path + "/delegations"));
            arrivals.put(dashboard -> dashboard.particulars(read));
        } catch (IOException | DecodeException | ClassCastException away) {
            // it is gone, or the platform is, which is told elsewhere
        }
    }

    private static long longAgo() {
        return System.nanoTime() - Duration.ofDays(1).toNanos();
    }

    private static boolean isPast(long nanoTime, Duration span) {
        return System.nanoTime() - nanoTime >= span.toNanos();
    }

    // --- what is wanted

    /** Whether it was done is told to the dashboard. */
    void carryOut(Wish wish) {
        if (!wishes.tryAcquire()) {
            tell("Too much is under way; wait a moment.", true);
            return;
        }
        Thread.ofVirtual().name("top-wish").start(() -> {
            try {
                String done = done(wish);
                if (!done.isEmpty()) {
                    tell(done, false);
                }
            } catch (LaunchFailure refused) {
                tell(refused.sentence(), true);
            } catch (IOException e) {
                tell("The platform did not answer: " + why(e), true);
            } finally {
                wishes.release();
            }
        });
    }

    private void tell(String text, boolean isBad) {
        Thread.ofVirtual().start(() -> untilOver(() -> arrivals.put(dashboard -> dashboard.tell(text, isBad))));
    }

    private String done(Wish wish) throws IOException {
        return switch (wish) {
            case Wish.Change change -> {
                Named.done(
                        change.name() + " stays as it is",
                        api.call("POST", path(change.agent()) + "/" + change.verb()));
                yield change.name() + (change.verb().equals("pause") ? " is paused." : " is being started.");
            }
            case Wish.Remove remove -> {
                Named.done(
                        remove.name() + " was not deleted",
                        api.call("DELETE", path(remove.agent()) + "?purge=false&confirm=" + remove.branch()));
                yield remove.name() + " is deleted.";
            }
            case Wish.Decide decide -> {
                Named.done(
                        "Nothing was decided",
                        decide.need().asked().orElseThrow().decide(api, decide.decision()));
                inboxIsDue = true;
                yield "%s: what %s asked.".formatted(decide.decision(), decide.name());
            }
            case Wish.Say say -> said(say);
            case Wish.Leave leave -> "";
            case Wish.Redraw redraw -> "";
        };
    }

    private String said(Wish.Say say) throws IOException {
        var message = new JsonObject()
                .put("kind", "message")
                .put("role", "user")
                .put("messageId", UUID.randomUUID().toString())
                .put(
                        "parts",
                        new JsonArray().add(new JsonObject().put("kind", "text").put("text", say.words())));
        var request = new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", UUID.randomUUID().toString())
                .put("method", "message/send")
                .put("params", new JsonObject().put("message", message));
        var answer = Named.done(
                say.name() + " did not answer", api.call("POST", path(say.agent()) + "/a2a", request, ANSWER_MAX));
        var heard = new HeardAnswer();
        heard.hear(answer);
        if (heard.isFetched()) {
            return say.name() + " fetches its messages; its reply is among what it did.";
        }
        if (heard.queued()) {
            return say.name() + " is busy; it gets the message when it is free.";
        }
        String words = answer(answer);
        return "%s: %s"
                .formatted(
                        say.name(), words.length() > ANSWER_MAX_CHARS ? words.substring(0, ANSWER_MAX_CHARS) : words);
    }

    private static String path(String id) {
        return "/workspaces/" + PlatformApi.segment(id);
    }
}
