package ai.molecule.cli.top;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** How services and what they do in the background are, as {@code GET /admin/liveness} says. */
final class Health {

    private static final int PARTS_MAX = 500;

    /** @param isService whether it is one, not work of one */
    record Part(String name, boolean isWell, boolean isService, String says) {}

    private List<Part> parts = List.of();
    private String unknown = "not asked yet";

    void replace(JsonObject liveness) {
        var read = new ArrayList<Part>();
        for (var each : liveness.getJsonObject("services", new JsonObject())) {
            if (each.getValue() instanceof JsonObject service) {
                boolean answers = Boolean.TRUE.equals(service.getValue("answered"));
                read.add(new Part(
                        Seat.shown(each.getKey()),
                        answers,
                        true,
                        answers ? Seat.said(service, "replica") : "does not answer"));
            }
        }
        for (var each : liveness.getJsonObject("subsystems", new JsonObject())) {
            if (each.getValue() instanceof JsonObject work && read.size() < PARTS_MAX) {
                read.add(new Part(
                        Seat.shown(each.getKey()), !Boolean.FALSE.equals(work.getValue("ok")), false, said(work)));
            }
        }
        // What is wrong first, then services, then by name.
        read.sort(Comparator.comparing(Part::isWell)
                .thenComparing(part -> !part.isService())
                .thenComparing(Part::name));
        parts = read;
        unknown = "";
    }

    private static String said(JsonObject work) {
        String says = work.getValue("says") instanceof String text ? text : "";
        Object ago = work.getValue("seconds_ago");
        String when = ago == null ? "not run yet" : ago + " s ago";
        return Seat.shown(says.isBlank() ? when : when + ", " + says);
    }

    void isUnknown(String why) {
        parts = List.of();
        unknown = Seat.shown(why);
    }

    List<Part> parts() {
        return parts;
    }

    /** Why nothing is known, empty where it is. */
    String unknown() {
        return unknown;
    }

    long bad() {
        return parts.stream().filter(part -> !part.isWell()).count();
    }
}
