package ai.molecule.runtime.a2a;

import ai.molecule.runtime.agent.Transcript;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code GET /transcript?since=0&limit=100}: what happened in the agent's session, for its owner. */
final class TranscriptEndpoint {

    /** More lines than this are not given at once. */
    static final int LINES_MAX = 1_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(TranscriptEndpoint.class);
    private static final int LINES_DEFAULT = 100;

    private final Vertx vertx;
    private final TranscriptSource source;

    TranscriptEndpoint(Vertx vertx, TranscriptSource source) {
        this.vertx = vertx;
        this.source = source;
    }

    /** @throws HttpRefusal 400 when one of the parameters is no number */
    void show(HttpServerRequest request) {
        int since = Math.max(0, number(request, "since", 0));
        int limit = Math.clamp(number(request, "limit", LINES_DEFAULT), 1, LINES_MAX);
        Context context = vertx.getOrCreateContext();
        Thread.startVirtualThread(() -> {
            int status = 200;
            Buffer body;
            try {
                body = Json.write(json(source.read(since, limit)));
            } catch (RuntimeException e) {
                LOGGER.atError().setCause(e).log("transcript cannot be read");
                status = 500;
                body = Json.write(Json.object().put("error", "the transcript cannot be read, see the workspace log"));
            }
            answer(context, request, status, body);
        });
    }

    private static void answer(Context context, HttpServerRequest request, int status, Buffer body) {
        context.runOnContext(there -> HttpAnswers.answer(request.response(), status, body));
    }

    private ObjectNode json(Transcript transcript) {
        ObjectNode json = Json.object().put("runtime", source.runtime()).put("supported", transcript.supported());
        json.putArray("lines").addAll(transcript.lines());
        return json.put("cursor", transcript.cursor())
                .put("more", transcript.more())
                .put("source", transcript.source());
    }

    private static int number(HttpServerRequest request, String name, int otherwise) {
        String text = request.getParam(name);
        try {
            return text == null ? otherwise : Integer.parseInt(text.strip());
        } catch (NumberFormatException notANumber) {
            throw new HttpRefusal(400, "since and limit must be integers");
        }
    }
}
