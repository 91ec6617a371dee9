package ai.molecule.common.audit;

import ai.molecule.common.db.Sql;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Those who were refused, counted: alike ones of half a minute are one row of the record, with the first of them as the sample, and of at most
 * {@value #KINDS_MAX} kinds; what is beyond is one row more. So nobody fills the record by being refused. What was counted since the last row
 * is lost with the process. To be used on one event loop.
 */
public final class Refusals {

    static final int KINDS_MAX = 50;

    private static final Loop.Times TIMES = new Loop.Times(Duration.ofSeconds(30), Duration.ofSeconds(12));

    private static final Duration LAST_MAX = Duration.ofSeconds(1);

    /**
     * One refused request.
     *
     * @param route method and pattern, from a bounded set
     * @param reason what was answered
     * @param workspaceId that of the path, where it has one
     */
    public record Refused(
            int status,
            String route,
            String reason,
            @Nullable UUID workspaceId,
            Actor who) {}

    /** Alike: whoever it was, from wherever. Else guessing from many addresses would be many rows. */
    private record Kind(int status, String route, String reason) {

        static final Kind BEYOND = new Kind(0, "", "");
    }

    record Counted(Refused sample, int count) {

        Counted and(int more) {
            return new Counted(sample, count + more);
        }

        Counted ofAnyKind() {
            var any = new Refused(sample.status, "others", "refused in further ways", null, sample.who);
            return new Counted(any, count);
        }
    }

    private final Sql sql;
    private final Loop loop;
    private Map<Kind, Counted> counted = new LinkedHashMap<>();

    public Refusals(Vertx vertx, Sql sql, RunReport report) {
        this.sql = sql;
        this.loop = new Loop(vertx, report, "PostgreSQL", TIMES, this::write);
    }

    /** On the calling context. */
    public Refusals start() {
        loop.start().poke();
        return this;
    }

    public void count(Refused refused) {
        add(new Kind(refused.status, refused.route, refused.reason), new Counted(refused, 1));
    }

    /** Writes what was counted, as far as that is possible at once. */
    public Future<Void> stop() {
        return loop.stop()
                .compose(over -> write())
                .timeout(LAST_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }

    private void add(Kind kind, Counted more) {
        if (counted.size() < KINDS_MAX || counted.containsKey(kind)) {
            counted.merge(kind, more, (before, added) -> before.and(added.count));
        } else {
            counted.merge(Kind.BEYOND, more.ofAnyKind(), (before, added) -> before.and(added.count));
        }
    }

    private Future<Object> write() {
        if (counted.isEmpty()) {
            return Future.succeededFuture("nobody was refused");
        }
        var writing = counted;
        counted = new LinkedHashMap<>();
        return PgAudit.refused(sql, new ArrayList<>(writing.values()))
                .<Object>map(done -> "recorded %d kinds of refusals".formatted(writing.size()))
                .onFailure(failure -> writing.forEach(this::add));
    }
}
