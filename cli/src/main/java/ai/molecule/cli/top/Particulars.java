package ai.molecule.cli.top;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * What is shown of one agent alone: what it did and what it handed on, newest first.
 *
 * @param agent its id
 */
record Particulars(String agent, List<Deed> activity, List<Deed> delegations) {

    static final int ROWS_MAX = 50;

    static final Particulars NONE = new Particulars("", List.of(), List.of());

    /** @param other the id of who else took part, empty for nobody */
    record Deed(String at, String what, String other, String words, boolean isBad) {}

    /** What {@code …/activity} and {@code …/delegations} said. */
    static Particulars of(String agent, JsonArray activity, JsonArray delegations) {
        return new Particulars(agent, activity(agent, activity), delegations(delegations));
    }

    private static List<Deed> activity(String agent, JsonArray rows) {
        var deeds = new ArrayList<Deed>();
        for (Object each : rows) {
            if (each instanceof JsonObject row && deeds.size() < ROWS_MAX) {
                String source = text(row, "source_id");
                deeds.add(new Deed(
                        text(row, "created_at"),
                        text(row, "activity_type").replace('_', ' '),
                        source.equals(agent) ? text(row, "target_id") : source,
                        first(text(row, "error_detail"), text(row, "summary")),
                        "error".equals(row.getValue("status"))));
            }
        }
        return deeds;
    }

    private static List<Deed> delegations(JsonArray rows) {
        var deeds = new ArrayList<Deed>();
        for (Object each : rows) {
            if (each instanceof JsonObject row && deeds.size() < ROWS_MAX) {
                deeds.add(new Deed(
                        text(row, "created_at"),
                        text(row, "status"),
                        text(row, "target_id"),
                        first(text(row, "error"), first(text(row, "response_preview"), text(row, "summary"))),
                        "failed".equals(row.getValue("status"))));
            }
        }
        return deeds;
    }

    private static String first(String one, String other) {
        return one.isBlank() ? other : one;
    }

    private static String text(JsonObject row, String member) {
        return row.getValue(member) instanceof String said ? Seat.shown(said) : "";
    }
}
