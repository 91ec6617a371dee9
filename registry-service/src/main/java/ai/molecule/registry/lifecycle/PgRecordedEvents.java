package ai.molecule.registry.lifecycle;

import ai.molecule.common.db.Sql;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.loops.InTurn;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;

/** Appends what is told of a workspace to the event log. */
public final class PgRecordedEvents {

    private PgRecordedEvents() {}

    /** In that order, within {@code transaction}. */
    public static Future<Void> append(Sql transaction, UUID workspaceId, List<RecordedEvent> events) {
        return InTurn.each(events, one -> EventLog.append(transaction, one.type(), workspaceId, one.payload()))
                .mapEmpty();
    }
}
