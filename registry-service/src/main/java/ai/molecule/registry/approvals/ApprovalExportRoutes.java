package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.json.Json;
import ai.molecule.registry.approvals.PgApprovalExport.ExportPage;
import ai.molecule.registry.approvals.PgApprovalExport.Period;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code GET /approvals/export}: who decided what, by which digest, shown where, when. */
public record ApprovalExportRoutes(ApprovalService approvals) {

    private static final Duration PERIOD_DEFAULT = Duration.ofDays(90);
    private static final Duration PERIOD_MAX = Duration.ofDays(366);
    private static final int YEARS_MAX = 10_000;

    /** What was asked for just now is there, also of a replica whose clock is ahead. */
    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(1);

    private enum Format {
        CSV("text/csv; charset=utf-8"),
        JSONL("application/jsonl");

        private final String contentType;

        Format(String contentType) {
            this.contentType = contentType;
        }

        static Format of(@Nullable String sent) {
            if (sent == null || sent.isEmpty()) {
                return JSONL;
            }
            for (var format : values()) {
                if (format.wire().equals(sent)) {
                    return format;
                }
            }
            throw ApiError.invalid("format must be csv or jsonl");
        }

        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        String header() {
            return this == CSV ? Csv.header(ExportedDecision.COLUMNS) : "";
        }

        String line(ExportedDecision decision) {
            return this == CSV
                    ? Csv.line(ExportedDecision.COLUMNS, decision.toJson())
                    : Json.text(decision.toJson()) + "\n";
        }
    }

    /** @param within of people of branches, theirs; null for all */
    private record Wanted(
            Format format, Period period, @Nullable List<UUID> within) {}

    /**
     * {@code ?format=csv|jsonl&from=&to=}: a line for each decision on what was asked for from {@code from} on and before {@code to}, the oldest
     * first; to people of branches, of theirs.
     */
    public void export(RoutingContext ctx) {
        var wanted = new Wanted(
                Format.of(ctx.request().getParam("format")),
                period(ctx),
                Caller.of(ctx).branchesOnly());
        approvals
                .export(wanted.period, null, wanted.within)
                .compose(first -> {
                    ctx.response()
                            .setChunked(true)
                            .putHeader("Content-Type", wanted.format.contentType)
                            .putHeader(
                                    "Content-Disposition",
                                    "attachment; filename=\"approvals.%s\"".formatted(wanted.format.wire()));
                    return write(ctx, wanted, Buffer.buffer(wanted.format.header()), first);
                })
                .onSuccess(done -> ctx.response().end())
                .onFailure(ctx::fail);
    }

    /** A page when the one before has left: nothing is read for a reader that does not. */
    private Future<Void> write(RoutingContext ctx, Wanted wanted, Buffer lines, ExportPage page) {
        page.decisions().forEach(decision -> lines.appendString(wanted.format.line(decision)));
        var last = page.last();
        Future<Void> written =
                lines.length() == 0 ? Future.succeededFuture() : ctx.response().write(lines);
        return last == null
                ? written
                : written.compose(left -> approvals.export(wanted.period, last, wanted.within))
                        .compose(next -> write(ctx, wanted, Buffer.buffer(), next));
    }

    private Period period(RoutingContext ctx) {
        var to = time(ctx, "to", approvals.now().plus(CLOCKS_DIFFER));
        var from = time(ctx, "from", to.minus(PERIOD_DEFAULT));
        if (!from.isBefore(to) || from.isBefore(to.minus(PERIOD_MAX))) {
            throw ApiError.invalid("from must be before to, by at most %d days".formatted(PERIOD_MAX.toDays()));
        }
        return new Period(from, to);
    }

    private static Instant time(RoutingContext ctx, String name, Instant otherwise) {
        String sent = ctx.request().getParam(name);
        if (sent == null || sent.isEmpty()) {
            return otherwise;
        }
        try {
            var time = OffsetDateTime.parse(sent);
            if (time.getYear() > 0 && time.getYear() < YEARS_MAX) { // what the database can compare
                return time.toInstant();
            }
        } catch (DateTimeException malformed) {
            // the same answer
        }
        throw ApiError.invalid(name + " must be a time as RFC 3339 writes it");
    }
}
