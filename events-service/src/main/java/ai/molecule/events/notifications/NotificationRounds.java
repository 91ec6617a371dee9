package ai.molecule.events.notifications;

import ai.molecule.common.approvals.ShownDeciders;
import ai.molecule.common.db.RepeatedWrites;
import ai.molecule.common.directory.OrgChart;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.common.text.VisibleText;
import ai.molecule.events.chats.Decidable;
import ai.molecule.events.notifications.PgNotificationOutbox.Due;
import ai.molecule.events.notifications.PgNotificationOutbox.Outcome;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes targets that are due and tells each its oldest notification; one that hangs holds up no other. Whoever does not take it is told again
 * after ever longer pauses. What waits no more is not told, and what was not taken for three days is given up. To be used on one event loop.
 */
final class NotificationRounds {

    private static final Logger LOGGER = LoggerFactory.getLogger(NotificationRounds.class);

    /** Longer than a try can take. */
    private static final Duration LEASE = Duration.ofSeconds(60);

    private static final int AT_ONCE_MAX = 32;

    private final PgNotificationOutbox outbox;
    private final PgTargetStore targets;
    private final Senders senders;
    private final OrgChartCache charts;
    private final Patience patience;
    private final @Nullable String publicUrl;
    private final Clock clock;
    private final RepeatedWrites repeatedly;
    private Runnable next = () -> {};
    private int underWay;

    /**
     * @param publicUrl where people find the platform; null where that is not known: then there are no links
     * @param repeatedly writes down that somebody was told, for they would be told once more
     */
    NotificationRounds(
            PgNotificationOutbox outbox,
            PgTargetStore targets,
            Senders senders,
            OrgChartCache charts,
            Patience patience,
            @Nullable String publicUrl,
            Clock clock,
            RepeatedWrites repeatedly) {
        this.repeatedly = repeatedly;
        this.outbox = outbox;
        this.targets = targets;
        this.senders = senders;
        this.charts = charts;
        this.patience = patience;
        this.publicUrl = publicUrl;
        this.clock = clock;
    }

    /** Whom to tell that there may be more to do. */
    void tell(Runnable whenDone) {
        next = whenDone;
    }

    /** Begins what is due, and says who does not take what it is told. */
    Future<RunReport.Outcome> run() {
        int room = AT_ONCE_MAX - underWay;
        Future<List<Due>> taken = room <= 0 ? Future.succeededFuture(List.of()) : outbox.claim(room, LEASE);
        return taken.compose(due -> {
            due.forEach(this::take);
            return targets.failing()
                    .map(failing -> new RunReport.Outcome(
                            "told %d targets".formatted(due.size()),
                            failing.isEmpty()
                                    ? null
                                    : "does not take what it is told, and is tried again: "
                                            + String.join(", ", failing)));
        });
    }

    private void take(Due due) {
        underWay++;
        attempt(() -> advance(due)).onComplete(done -> {
            underWay--;
            if (done.failed()) {
                LOGGER.atWarn()
                        .setCause(done.cause())
                        .addKeyValue("targetId", due.target().id())
                        .log("notification let go, somebody goes on when its lease ends");
            } else {
                next.run();
            }
        });
    }

    private static <T> Future<T> attempt(Supplier<Future<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException thrown) {
            return Future.failedFuture(thrown);
        }
    }

    private Future<?> advance(Due due) {
        var body = due.body();
        var now = clock.instant();
        if (body == null) {
            return outbox.rest(due);
        }
        if (due.over()) {
            return outbox.end(due, Outcome.OVER);
        }
        if (due.createdAt().plus(patience.keep()).isBefore(now)) {
            return givenUp(due);
        }
        var quietUntil = due.target().times().quietUntil(now);
        return quietUntil.isPresent() ? outbox.later(due, quietUntil.get()) : tell(due, body);
    }

    private Future<?> givenUp(Due due) {
        LOGGER.atError()
                .addKeyValue("targetId", due.target().id())
                .addKeyValue("inboxId", due.inboxId())
                .log("a target did not take a notification for three days, it is given up");
        return outbox.end(due, Outcome.FAILED);
    }

    private Future<?> tell(Due due, JsonNode body) {
        return Future.all(standIn(due.target()), chart())
                .compose(known -> senders.send(known.resultAt(0), note(due, body, known.<List<OrgChart>>resultAt(1))))
                .transform(sent -> sent.succeeded()
                        ? repeatedly.write(() -> outbox.end(due, sent.result() ? Outcome.DELIVERED : Outcome.OVER))
                        : refused(due, sent.cause()));
    }

    /** Who left a messenger is not told the same again; what comes later is tried. */
    private Future<Boolean> refused(Due due, Throwable failure) {
        return failure instanceof NotDelivered said && said.forGood()
                ? outbox.givenUp(due, said.why())
                : outbox.again(due, patience.pauseAfter(due.attempts()), why(failure));
    }

    private static String why(Throwable failure) {
        if (failure instanceof NotDelivered said) {
            return said.why();
        }
        LOGGER.atWarn().setCause(failure).log("a notification could not be sent");
        return "it could not be sent";
    }

    /** Itself where its deputy is gone. */
    private Future<Target> standIn(Target target) {
        var deputy = target.standIn(clock.instant());
        return deputy == null
                ? Future.succeededFuture(target)
                : targets.find(deputy)
                        .map(found -> found.filter(Target::enabled).orElse(target));
    }

    /** Empty while the registry is away: then a workspace has no name. */
    private Future<List<OrgChart>> chart() {
        return charts.current().map(List::of).otherwise(List.of());
    }

    private Note note(Due due, JsonNode body, List<OrgChart> charts) {
        String workspaceId = body.path("workspace_id").textValue();
        List<String> names = new ArrayList<>();
        if (workspaceId != null) {
            charts.forEach(
                    chart -> chart.find(UUID.fromString(workspaceId)).ifPresent(entry -> names.add(entry.name())));
        }
        var inboxId = due.inboxId();
        String kind = body.path("kind").textValue();
        String text = body.path("text").asText();
        boolean approval = "approval".equals(kind);
        var whole = approval ? WholeApproval.of(due.details()) : Optional.of(VisibleText.lines(text));
        return new Note(
                due.target().id() + "-" + due.n(),
                String.valueOf(due.event()),
                due.createdAt(),
                kind,
                workspaceId,
                names.isEmpty() ? null : names.getFirst(),
                text,
                whole.orElse(WholeApproval.TOO_LONG),
                link(publicUrl, inboxId == null ? "work" : "needs=" + inboxId),
                approval && whole.isPresent() && inboxId != null
                        ? new Decidable(
                                inboxId,
                                due.details().path("digest").asText(),
                                ShownDeciders.of(due.details().path("deciders")))
                        : null);
    }

    static String link(@Nullable String publicUrl, String place) {
        return publicUrl == null ? "" : publicUrl.replaceFirst("/+$", "") + "/ui#" + place;
    }

    /** For a test of a target. */
    Note test(UUID id) {
        String text = "Molecule can tell you here what waits for you.";
        return new Note(
                "test-" + id, "test", clock.instant(), null, null, null, text, text, link(publicUrl, "needs"), null);
    }
}
