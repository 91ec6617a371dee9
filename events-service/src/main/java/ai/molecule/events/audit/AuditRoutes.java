package ai.molecule.events.audit;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.NamedTenant;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.events.audit.PgAuditStore.Ends;
import ai.molecule.events.audit.PgAuditStore.Recorded;
import ai.molecule.events.audit.PgAuditStore.SignedHead;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** {@code GET /audit} and {@code GET /workspaces/:id/audit}: who did what. */
public record AuditRoutes(PgAuditStore store, OrgChartCache charts) {

    /** A line for each row, with its exact text: what {@code molecule audit verify} reads. */
    private static final String LINES = "application/jsonl";

    private static final int LINES_AT_ONCE = 500;

    /**
     * {@code {"entries": […], "cursor": <for before>|null, "chain": {…}}}; as lines the whole record, without filters. People of branches are
     * shown what was done there, and nothing of the chain of all.
     */
    public void list(RoutingContext ctx) {
        var query = AuditQuery.of(ctx.request()::getParam);
        String accept = ctx.request().getHeader("Accept");
        if (accept == null || !accept.contains(LINES)) {
            Answers.json(
                    ctx,
                    charts.shownTo(Caller.of(ctx), ctx.request().getHeader(NamedTenant.HEADER))
                            .compose(shown -> {
                                var wanted = shown.map(query::within).orElse(query);
                                return store.ends()
                                        .compose(ends -> store.page(wanted)
                                                .map(rows -> Json.object()
                                                        .<ObjectNode>set("entries", entries(rows, true))
                                                        .<ObjectNode>setAll(cursor(wanted, rows, ends))
                                                        .<ObjectNode>set(
                                                                "chain", shown.isPresent() ? null : toJson(ends))));
                            }));
        } else if (query.isEverything()) {
            charts.shownTo(Caller.of(ctx)).onFailure(ctx::fail).onSuccess(shown -> {
                if (shown.isPresent()) {
                    ctx.fail(ApiError.forbidden("this asks for the role of a viewer"));
                } else {
                    export(ctx);
                }
            });
        } else {
            throw ApiError.invalid("a part of the record cannot be checked: as lines there is only all of it");
        }
    }

    /** 501 with a sentence: existing clients ask for it, and nobody writes this record but the platform. */
    public void write(RoutingContext ctx) {
        throw new ApiError(
                ApiError.Kind.NOT_IMPLEMENTED,
                "The platform alone writes this record; what an agent did goes to its activity.");
    }

    /** {@code {"events": […]|null, "total", "chain_valid": true|false|null, "entries": […], "cursor"}}. */
    public void ofWorkspace(RoutingContext ctx) {
        var query = AuditQuery.ofWorkspace(PathIds.workspace(ctx), ctx.request()::getParam);
        boolean administrators = Caller.of(ctx).kind() != Caller.Kind.WORKSPACE;
        Answers.json(
                ctx,
                store.ends()
                        .compose(ends -> store.count(query)
                                .compose(total -> store.page(query).map(rows -> {
                                    var entries = entries(rows, administrators);
                                    var body = Json.object();
                                    body.set("events", rows.isEmpty() ? Json.MAPPER.nullNode() : entries);
                                    body.put("total", total);
                                    if (rows.isEmpty() || query.offset() > 0) {
                                        body.putNull("chain_valid");
                                    } else {
                                        body.put("chain_valid", rows.stream().allMatch(Recorded::follows));
                                    }
                                    body.set("entries", entries);
                                    return body.<ObjectNode>setAll(cursor(query, rows, ends));
                                }))));
    }

    /** @param whole whether with addresses and credentials, which are no agent's business */
    private static ArrayNode entries(List<Recorded> rows, boolean whole) {
        return Answers.array(rows, row -> {
            var entry = (ObjectNode) Json.stored(row.entry());
            if (!whole && entry.path("actor") instanceof ObjectNode actor) {
                actor.retain("kind", "name");
            }
            entry.put("seq", row.seq());
            entry.put("hash", row.hash());
            return entry;
        });
    }

    private static ObjectNode cursor(AuditQuery query, List<Recorded> rows, Ends ends) {
        var cursor = Json.object();
        if (rows.size() < query.limit()) {
            return cursor.putNull("cursor");
        }
        Long last = rows.getLast().seq();
        return cursor.put("cursor", last == null ? ends.seq() + 1 : last);
    }

    private static ObjectNode toJson(Ends ends) {
        return Json.object()
                .put("base_seq", ends.baseSeq())
                .put("base_hash", ends.baseHash())
                .put("seq", ends.seq())
                .put("hash", ends.hash())
                .put("waiting", ends.waiting());
    }

    private void export(RoutingContext ctx) {
        store.ends()
                .compose(ends -> {
                    ctx.response().setChunked(true).putHeader("Content-Type", LINES);
                    var first = Json.object().<ObjectNode>set("chain", toJson(ends));
                    return ctx.response()
                            .write(line(first))
                            .compose(begun -> store.heads(ends.baseSeq(), ends.seq()))
                            .compose(heads -> writeHeads(ctx, heads))
                            .compose(told -> goOn(ctx, ends.baseSeq(), ends.seq()));
                })
                .onSuccess(done -> ctx.response().end())
                .onFailure(ctx::fail);
    }

    private static Future<Void> writeHeads(RoutingContext ctx, List<SignedHead> heads) {
        var lines = Buffer.buffer();
        heads.forEach(head -> lines.appendBuffer(line(Json.object()
                .<ObjectNode>set("head", Json.object().put("seq", head.seq()).put("jws", head.jws())))));
        return lines.length() == 0 ? Future.succeededFuture() : ctx.response().write(lines);
    }

    /** A page when the one before has left: nothing is read for a reader that does not. */
    private Future<Void> goOn(RoutingContext ctx, long after, long upTo) {
        return store.after(after, upTo, LINES_AT_ONCE).compose(rows -> {
            if (rows.isEmpty()) {
                return Future.succeededFuture();
            }
            var page = Buffer.buffer();
            rows.forEach(row -> page.appendBuffer(line(
                    Json.object().put("seq", row.seq()).put("hash", row.hash()).put("entry", row.entry()))));
            Long last = rows.getLast().seq();
            return ctx.response()
                    .write(page)
                    .compose(written -> rows.size() < LINES_AT_ONCE || last == null
                            ? Future.succeededFuture()
                            : goOn(ctx, last, upTo));
        });
    }

    private static Buffer line(ObjectNode json) {
        return Json.buffer(json).appendByte((byte) '\n');
    }
}
