package ai.molecule.proxy.work;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.bus.proxy.AskForWork;
import ai.molecule.common.bus.proxy.WorkAnswers;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.json.Json;
import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.models.Unmetered;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.tasks.TaskLog;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules about pieces of work. */
public final class Works {

    /** Nodes of a tree, and words: the first ones. */
    static final int TREE_MAX = 500;

    private static final int ANSWERS_MAX = 100;

    private final PgWorks works;
    private final TaskLog tasks;
    private final Bus bus;
    private final PassportBook passports;

    public Works(PgWorks works, TaskLog tasks, Bus bus) {
        this.passports = new PassportBook(bus);
        this.works = works;
        this.tasks = tasks;
        this.bus = bus;
    }

    /**
     * Durable when it completes: the agent is asked then. Fails with NOT_FOUND for an unknown one and UNAVAILABLE when too many wait for it.
     *
     * @param recorded whether what is done for it is told to whoever collects traces
     */
    Future<ObjectNode> begin(NewWork work, String askedBy, boolean recorded) {
        return bus.call(ResolveRoute.CONTRACT, new ResolveRoute(work.to(), null))
                .compose(route -> route.found()
                        ? headers(work, askedBy, trace(work.id(), recorded))
                                .compose(headers -> works.insert(work, askedBy, message(work), headers))
                        : Future.failedFuture(ApiError.notFound("workspace not found")))
                .compose(stored -> {
                    if (!stored) {
                        throw ApiError.unavailable("workspace agent busy — retry after a short backoff");
                    }
                    bus.publish(DrainQueue.HINT, new DrainQueue(work.to()));
                    return find(work.id()).map(PieceOfWork::toJson);
                });
    }

    /**
     * The same, and {@code first} in its transaction: nothing is stored where that says no, and nothing is answered then but false.
     *
     * @param first of what brought it
     */
    public Future<Boolean> begin(NewWork work, String askedBy, PgWorks.First first) {
        return bus.call(ResolveRoute.CONTRACT, new ResolveRoute(work.to(), null))
                .compose(route -> route.found() && route.status() != WorkspaceStatus.REMOVED
                        ? headers(work, askedBy, trace(work.id(), false))
                        : Future.failedFuture(ApiError.notFound("workspace not found")))
                .compose(headers -> works.insert(work, askedBy, message(work), headers, first))
                .onSuccess(begun -> bus.publish(DrainQueue.HINT, new DrainQueue(work.to())));
    }

    /** Serves {@link AskForWork}. */
    public Future<AskForWork.Asked> ask(AskForWork asked) {
        String title = asked.words().strip().lines().findFirst().orElse("");
        String brief = asked.words().strip().substring(title.length()).strip();
        var work = NewWork.told(asked.id(), asked.to(), title, brief, null, asked.context());
        return begin(work, asked.askedBy(), works.unlessThere(asked.id())).map(AskForWork.Asked::new);
    }

    /** Serves {@link WorkAnswers}. */
    public Future<WorkAnswers.Answers> answers(WorkAnswers question) {
        return tasks.flush()
                .compose(written ->
                        works.answers(question.ids().stream().limit(ANSWERS_MAX).toList()))
                .map(WorkAnswers.Answers::new);
    }

    /** What is allowed travels along; where nobody signs it and there is something to hold to, nothing is begun. */
    private Future<Map<String, String>> headers(NewWork work, String askedBy, String trace) {
        var traced = Map.of(TraceHeaders.PARENT, trace);
        var due = work.due();
        return passports
                .issue(IssuePassport.first(
                        work.to(),
                        askedBy,
                        work.id().toString(),
                        work.limit(),
                        due != null && due.isAfter(Instant.now()) ? due : null,
                        work.tools()))
                .map(issued -> Map.of(TraceHeaders.PARENT, trace, PassportBook.HEADER, issued.token()))
                .recover(unsigned ->
                        work.tools() == null ? Future.succeededFuture(traced) : Future.failedFuture(unsigned));
    }

    /**
     * @param state null for all
     * @param within only what was asked of one of these; null for all
     */
    Future<ArrayNode> list(@Nullable String state, @Nullable UUID after, int limit, @Nullable Set<UUID> within) {
        var unmetered = Unmetered.workspaces(bus);
        return tasks.flush()
                .compose(written -> unmetered)
                .compose(ids -> works.list(state, after, limit, ids, within))
                .map(found -> {
                    var list = Json.MAPPER.createArrayNode();
                    found.forEach(one -> list.add(one.toJson()));
                    return list;
                });
    }

    /**
     * Fails with NOT_FOUND.
     *
     * @param readers the agents that ask, or are asked for, of which is told what they said and were told and nothing that others did; null for an
     *     administrator
     */
    Future<ObjectNode> get(UUID id, @Nullable Set<UUID> readers) {
        return tasks.flush()
                .compose(written -> find(id))
                .compose(work -> Future.all(
                                works.tasks(id, TREE_MAX), works.delegations(id, TREE_MAX), works.words(id, TREE_MAX))
                        .map(parts -> {
                            List<PieceOfWork.Said> said = parts.<List<PieceOfWork.Said>>resultAt(2).stream()
                                    .filter(one -> readers == null || one.isOf(readers))
                                    .toList();
                            var body = work.toJson().put("brief", work.brief());
                            if (readers != null && !readers.contains(work.to())) {
                                body.putNull("title").putNull("brief"); // a person's words, to somebody else
                            }
                            body.set("tree", WorkTree.of(parts.resultAt(0), parts.resultAt(1), readers));
                            body.set("words", words(said));
                            body.set("files", files(said));
                            return body;
                        }));
    }

    /** From the next call of a model on, 2 s later at most. Fails with NOT_FOUND. */
    Future<ObjectNode> limit(UUID id, @Nullable BigDecimal dollars) {
        return works.limit(id, dollars).compose(there -> find(id)).map(PieceOfWork::toJson);
    }

    private Future<PieceOfWork> find(UUID id) {
        return Unmetered.workspaces(bus)
                .compose(unmetered -> works.find(id, unmetered))
                .map(found -> found.orElseThrow(Works::unknown));
    }

    /** Whether one of these agents has or had a part in it. */
    Future<Boolean> takesPart(UUID id, Set<UUID> workspaces) {
        return tasks.flush().compose(written -> works.takesPart(id, workspaces));
    }

    /** The agent that was asked; fails with NOT_FOUND. */
    Future<UUID> askedOf(UUID id) {
        return find(id).map(PieceOfWork::to);
    }

    static ApiError unknown() {
        return ApiError.notFound("work not found");
    }

    private static ArrayNode words(List<PieceOfWork.Said> all) {
        var words = Json.MAPPER.createArrayNode();
        for (var said : all) {
            words.addObject()
                    .put("task_id", said.task().toString())
                    .put("kind", said.answer() ? "answer" : "message")
                    .put("from", text(said.speaker()))
                    .put("to", text(said.listener()))
                    .put("text", said.words())
                    .put("at", Json.time(said.at()));
        }
        return words;
    }

    private static ArrayNode files(List<PieceOfWork.Said> all) {
        var files = Json.MAPPER.createArrayNode();
        for (var said : all) {
            String named = said.files();
            var speaker = said.speaker();
            if (named != null && speaker != null) {
                for (var file : Json.stored(named)) {
                    files.add(file.<ObjectNode>deepCopy().put("workspace_id", speaker.toString()));
                }
            }
        }
        return files;
    }

    private static @Nullable String text(@Nullable UUID id) {
        return id == null ? null : id.toString();
    }

    private static byte[] message(NewWork work) {
        var message = Json.object()
                .put("kind", "message")
                .put("role", "user")
                .put("messageId", work.id().toString())
                .put("contextId", work.context());
        message.putArray("parts").addObject().put("kind", "text").put("text", work.words());
        message.putObject("metadata").put("work_id", work.id().toString());
        var body = Json.object()
                .put("jsonrpc", "2.0")
                .put("id", work.id().toString())
                .put("method", "message/send");
        body.putObject("params").set("message", message);
        return Json.buffer(body).getBytes();
    }

    /** Its own id, so that a work's trace is told by it. */
    private static String trace(UUID work, boolean recorded) {
        String hex = work.toString().replace("-", "");
        return "00-%s-%s-%s".formatted(hex, hex.substring(16), recorded ? "01" : "00");
    }
}
