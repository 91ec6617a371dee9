package ai.molecule.common.events;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.EventsAppended;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Appending to the log: any service, in the transaction of the change that the event tells. */
public record EventLog(Bus bus) {

    /** For use inside a statement that changes a row. Parameters: type text, workspace uuid, payload text as jsonb. */
    public static final String APPEND = "SELECT log.append($1, $2, $3::text::jsonb)";

    /** Appends within {@code transaction}; nothing is visible, and nobody is told, before it commits. */
    public Future<Void> append(SqlClient transaction, String type, @Nullable UUID workspaceId, JsonNode payload) {
        return transaction
                .preparedQuery(APPEND)
                .execute(Tuple.of(type, workspaceId, Json.text(payload)))
                .mapEmpty();
    }

    /** The same in a transaction of a {@link ai.molecule.common.db.Database}, which tells the sequencer by itself. */
    public static Future<Void> append(Sql transaction, String type, @Nullable UUID workspaceId, JsonNode payload) {
        return transaction.run(APPEND, Tuple.of(type, workspaceId, Json.text(payload)));
    }

    /** To be called after the commit: the event is numbered within milliseconds instead of at the sequencer's next tick. */
    public void committed() {
        bus.publish(EventsAppended.HINT, new EventsAppended());
    }
}
