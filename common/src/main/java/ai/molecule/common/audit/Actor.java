package ai.molecule.common.audit;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.spi.context.storage.ContextLocal;
import org.jspecify.annotations.Nullable;

/**
 * Who changes something, as the record has it. It belongs to a request's context and goes along with calls over the bus made there, and
 * into the transactions; a loop that the request pokes has none.
 *
 * @param json {@code {"kind", "name"[, "credential"][, "address"][, "request_id"]}}
 */
public record Actor(String json) {

    /** The header of a bus call, and the PostgreSQL setting of a transaction. */
    public static final String NAME = "molecule.actor";

    /** A key that must exist before Vert.x does, see {@link ActorKey}. */
    private static final ContextLocal<Actor> KEY = ContextLocal.registerLocal(Actor.class);

    /**
     * @param kind a word from a bounded set, such as {@code workspace}
     * @param credential what was shown, as lists show it: nothing that opens anything; null for nothing
     */
    public static Actor of(
            String kind,
            String name,
            @Nullable String credential,
            @Nullable String address,
            @Nullable String requestId) {
        var json = Json.object().put("kind", kind).put("name", name);
        putIfKnown(json, "credential", credential);
        putIfKnown(json, "address", address);
        putIfKnown(json, "request_id", requestId);
        return new Actor(Json.text(json));
    }

    private static void putIfKnown(ObjectNode json, String member, @Nullable String value) {
        if (value != null) {
            json.put(member, value);
        }
    }

    /** Of the calling context; null where nobody was let in for a change: then the platform acts by itself. */
    public static @Nullable Actor current() {
        var context = ContextInternal.current();
        return context == null ? null : KEY.get(context);
    }

    /** Whatever the calling request's context does from now on, this one does. */
    public void acts() {
        var context = ContextInternal.current();
        if (context != null && context.isDuplicate()) { // one that is nobody's own would keep it for all
            KEY.put(context, this);
        }
    }
}
