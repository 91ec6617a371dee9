package ai.molecule.canvas;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Pieces of work as docs/wire/work.md has them, told to a {@link StagedPlatform}. */
final class StagedWork {

    private final StagedPlatform platform;
    private final JsonArray list = new JsonArray();

    StagedWork(StagedPlatform platform) {
        this.platform = platform;
        platform.answers.put("/work", list);
    }

    /** One that began so many seconds ago; the newest is told last. */
    Piece asked(String title, String to, String state, int secondsAgo) {
        Instant begin = Instant.now().minusSeconds(secondsAgo);
        boolean ended = !state.equals("working") && !state.equals("needs_you");
        var work = new JsonObject()
                .put("id", UUID.randomUUID().toString())
                .put("title", title)
                .put("to", to)
                .put("state", state)
                .putNull("limit")
                .putNull("cost")
                .putNull("due")
                .put("asked_by", "chat")
                .put("created_at", begin.toString())
                .put("ended_at", ended ? begin.plusSeconds(secondsAgo / 2).toString() : null);
        list.getList().addFirst(work);
        var piece = new Piece(work, begin);
        piece.task(
                to,
                null,
                !ended ? "running" : state.equals("stopped") ? "stopped" : "ok",
                0,
                ended ? secondsAgo / 2 : null,
                title);
        piece.said(null, to, title, 0);
        return piece;
    }

    final class Piece {

        /** As it stands in the list. */
        private final JsonObject work;

        private final JsonObject body;
        private final Instant begin;

        private Piece(JsonObject work, Instant begin) {
            this.work = work;
            this.begin = begin;
            this.body = work.copy()
                    .put("brief", work.getString("title"))
                    .put("tree", new JsonArray())
                    .put("words", new JsonArray())
                    .put("files", new JsonArray());
            tell();
        }

        String id() {
            return body.getString("id");
        }

        /** Below the first, or the first itself where nobody sent it. */
        Piece task(
                String target, @Nullable String source, String state, int from, @Nullable Integer to, String preview) {
            var tree = body.getJsonArray("tree");
            tree.add(new JsonObject()
                    .put("id", id() + ":" + tree.size())
                    .put("parent_id", tree.isEmpty() ? null : id() + ":0")
                    .put("kind", "message")
                    .putNull("delegation_id")
                    .put("message_id", id() + "-m" + tree.size())
                    .put("source_id", source)
                    .put("target_id", target)
                    .put("preview", preview)
                    .put("state", state)
                    .put("started_at", begin.plusSeconds(from).toString())
                    .put("ended_at", to == null ? null : begin.plusSeconds(to).toString()));
            return tell();
        }

        /** @param metered false where some of it is in no sum */
        Piece costs(@Nullable Double cost, @Nullable Double limit, boolean metered) {
            for (var told : new JsonObject[] {work, body}) {
                told.put("cost", cost).put("limit", limit).put("metered", metered);
            }
            return tell();
        }

        Piece said(@Nullable String from, @Nullable String to, String text, int second) {
            var words = body.getJsonArray("words");
            words.add(new JsonObject()
                    .put("task_id", id() + ":" + words.size())
                    .put("kind", to == null ? "answer" : "message")
                    .put("from", from)
                    .put("to", to)
                    .put("text", text)
                    .put("at", begin.plusSeconds(second).toString()));
            return tell();
        }

        Piece file(String workspace, String name, String content) {
            body.getJsonArray("files")
                    .add(JsonObject.of(
                            "uri",
                            "workspace:/workspace/out/" + name,
                            "name",
                            name,
                            "mimeType",
                            "text/html",
                            "workspace_id",
                            workspace));
            platform.answers.put(
                    "/workspaces/" + workspace + "/files/out/" + name,
                    JsonObject.of("path", "out/" + name, "content", content, "size", content.length()));
            return tell();
        }

        private Piece tell() {
            platform.answers.put("/work/" + id(), body);
            platform.ephemeral("TASK_ENDED", body.getString("to"), JsonObject.of("task", id(), "status", "ok"));
            return this;
        }
    }
}
