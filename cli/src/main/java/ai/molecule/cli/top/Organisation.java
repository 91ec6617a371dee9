package ai.molecule.cli.top;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who is there, who leads whom, and how everybody is: the list as it was read last, and what was heard since. */
final class Organisation {

    /** What is heard of more agents than any platform has is heard of nobody. */
    private static final int SEATS_MAX = 100_000;

    /** Delegations that are remembered while they wait. */
    private static final int QUEUED_MAX = 20_000;

    private static final int DEPTH_SHOWN_MAX = 24;

    /** Who leads more levels than these is told of those alone. */
    private static final int DEPTH_COUNTED_MAX = 100;

    private static final Map<String, String> STATUSES = Map.of(
            "WORKSPACE_ONLINE", "online",
            "WORKSPACE_OFFLINE", "offline",
            "WORKSPACE_PAUSED", "paused",
            "WORKSPACE_HIBERNATED", "hibernated",
            "WORKSPACE_AWAITING_AGENT", "awaiting_agent");

    /**
     * A line of the tree.
     *
     * @param before what stands before the name: the lines of the tree
     * @param below how many are below, directly or not
     * @param folded whether those are not shown
     * @param found whether it is what is looked for, not only the way to it
     */
    record Row(Seat seat, String before, int below, boolean folded, boolean found) {}

    private final Map<String, Seat> seats = new LinkedHashMap<>();
    private final Map<String, String> queuedAt = new HashMap<>();
    private final Set<String> folded = new HashSet<>();
    private String filter = "";
    private boolean incomplete;
    private @Nullable List<Row> rows;

    /** What {@code GET /workspaces} said. */
    void replace(JsonArray all) {
        var before = new HashMap<>(seats);
        seats.clear();
        for (Object each : all) {
            if (each instanceof JsonObject row && row.getValue("id") instanceof String id && seats.size() < SEATS_MAX) {
                var seat = before.getOrDefault(id, new Seat(id));
                seat.read(row);
                seats.put(id, seat);
            }
        }
        folded.retainAll(seats.keySet());
        incomplete = false;
        rows = null;
    }

    /** What {@code GET /usage?by=agent} said. */
    void costs(JsonArray usage) {
        for (Object each : usage) {
            if (each instanceof JsonObject row
                    && row.getValue("key") instanceof String id
                    && row.getValue("cost_micros") instanceof Number micros
                    && seats.get(id) != null) {
                seat(id, seat -> seat.costs(micros.longValue()));
            }
        }
    }

    /** An event, recorded or not. */
    void hear(String type, String id, JsonObject payload) {
        if (STATUSES.containsKey(type)) {
            seat(id, seat -> seat.is(STATUSES.getOrDefault(type, "")));
            return;
        }
        switch (type) {
            case "WORKSPACE_PROVISIONING" -> provisioning(id, payload);
            case "WORKSPACE_DEGRADED" -> seat(id, seat -> seat.isWrong("degraded", Seat.said(payload, "sample_error")));
            case "WORKSPACE_PROVISION_FAILED" -> seat(id, seat -> seat.isWrong("failed", Seat.said(payload, "error")));
            case "WORKSPACE_QUARANTINED" -> seat(id, seat -> seat.isCutOff(true));
            case "WORKSPACE_RELEASED" -> seat(id, seat -> seat.isCutOff(false));
            case "WORKSPACE_REMOVED" -> removed(id);
            case "WORKSPACE_UPDATED" -> {
                seat(id, seat -> seat.update(payload));
                rows = null;
            }
            case "WORKSPACE_MOVED" -> {
                Object parent = payload.getValue("new_parent_id");
                seat(id, seat -> seat.movesUnder(parent == null ? "" : parent.toString()));
                rows = null;
            }
            case "TASK_UPDATED" ->
                seat(
                        id,
                        seat -> seat.works(
                                Seat.number(payload, "active_tasks"),
                                payload.getValue("current_task") instanceof String task ? task : ""));
            case "WORKSPACE_HEARTBEAT" -> seat(id, seat -> seat.works(Seat.number(payload, "active_tasks")));
            case "AGENT_MESSAGE" -> seat(id, seat -> seat.says(Seat.said(payload, "message")));
            case "DELEGATION_STATUS", "DELEGATION_COMPLETE", "DELEGATION_FAILED" -> delegated(payload);
            default -> {} // told in the log, changes nobody
        }
    }

    /** Its last words, found elsewhere. */
    void says(String id, String words) {
        seat(id, seat -> seat.says(words));
    }

    private void provisioning(String id, JsonObject payload) {
        if (!seats.containsKey(id) && seats.size() < SEATS_MAX) {
            seats.put(id, new Seat(id));
        }
        seat(id, seat -> {
            seat.update(payload);
            seat.is("provisioning");
        });
        rows = null;
    }

    private void removed(String id) {
        seats.remove(id);
        folded.remove(id);
        rows = null;
    }

    private void delegated(JsonObject payload) {
        String delegation = Seat.said(payload, "delegation_id");
        String before = queuedAt.remove(delegation);
        if (before != null) {
            seat(before, seat -> seat.waits(-1));
        }
        String target = Seat.said(payload, "target_id");
        if ("queued".equals(payload.getString("status")) && queuedAt.size() < QUEUED_MAX && seats.containsKey(target)) {
            queuedAt.put(delegation, target);
            seat(target, seat -> seat.waits(1));
        }
    }

    private void seat(String id, Consumer<Seat> change) {
        var seat = seats.get(id);
        if (seat != null) {
            change.accept(seat);
            if (!filter.isEmpty()) {
                rows = null;
            }
        } else if (!id.isEmpty()) {
            incomplete = true;
        }
    }

    /** Whether something was heard of somebody who is not on the list, which is to be read again then. */
    boolean isIncomplete() {
        return incomplete;
    }

    Optional<Seat> find(String id) {
        return Optional.ofNullable(seats.get(id));
    }

    Collection<Seat> everybody() {
        return seats.values();
    }

    String nameOf(String id) {
        var seat = seats.get(id);
        return seat == null ? id.substring(0, Math.min(id.length(), 8)) : seat.name();
    }

    /** How many are led by it, directly or not. */
    int below(String id) {
        return rows().stream()
                .filter(row -> row.seat().id().equals(id))
                .findFirst()
                .map(Row::below)
                .orElse(0);
    }

    String filter() {
        return filter;
    }

    void filter(String words) {
        filter = words;
        rows = null;
    }

    /** Shows those below it, or not. */
    void fold(String id, boolean away) {
        if (away ? folded.add(id) : folded.remove(id)) {
            rows = null;
        }
    }

    boolean isFolded(String id) {
        return folded.contains(id);
    }

    /** As they are shown: a tree in the order the platform lists them; of those that are filtered also the way to them. */
    List<Row> rows() {
        if (rows == null) {
            rows = new Tree().rows();
        }
        return rows;
    }

    /** Each once, also where the platform told of a circle; without recursion, because a chain may be as long as the list. */
    private final class Tree {

        private final Map<String, List<Seat>> led = new HashMap<>();
        private final Map<String, Integer> below = new HashMap<>();
        private final Set<String> shown = new HashSet<>();
        private final Set<String> found = new HashSet<>();
        private final Set<String> told = new HashSet<>();
        private final List<Row> lines = new ArrayList<>();

        /** @param before what stands before those that it leads */
        private record Open(Seat seat, String own, String before) {}

        List<Row> rows() {
            seats.values()
                    .forEach(seat -> led.computeIfAbsent(
                                    seats.containsKey(seat.parent()) ? seat.parent() : "", id -> new ArrayList<>())
                            .add(seat));
            count();
            find();
            led.getOrDefault("", List.of()).forEach(this::tell);
            seats.values().forEach(this::tell); // those in circles
            return lines;
        }

        private void count() {
            for (var seat : seats.values()) {
                var way = new HashSet<String>();
                for (var above = seats.get(seat.parent());
                        above != null && way.size() < DEPTH_COUNTED_MAX && way.add(above.id());
                        above = seats.get(above.parent())) {
                    below.merge(above.id(), 1, Integer::sum);
                }
            }
        }

        private void find() {
            String[] wanted = filter.toLowerCase(Locale.ROOT).strip().split("\\s+");
            for (var seat : seats.values()) {
                if (seat.has(wanted)) {
                    found.add(seat.id());
                    for (var each = seat; each != null && shown.add(each.id()); each = seats.get(each.parent())) {}
                }
            }
        }

        private void tell(Seat root) {
            var open = new ArrayDeque<Open>();
            open.push(new Open(root, "", ""));
            while (!open.isEmpty()) {
                var next = open.pop();
                String id = next.seat().id();
                if (!shown.contains(id) || !told.add(id)) {
                    continue;
                }
                boolean isFolded = filter.isBlank() && folded.contains(id);
                lines.add(new Row(next.seat(), next.own(), below.getOrDefault(id, 0), isFolded, found.contains(id)));
                var those = led.getOrDefault(id, List.of()).stream()
                        .filter(seat -> shown.contains(seat.id()))
                        .toList();
                if (isFolded) {
                    hide(id);
                    continue;
                }
                boolean deep = next.before().length() >= DEPTH_SHOWN_MAX;
                for (int at = those.size() - 1; at >= 0; at--) {
                    boolean last = at == those.size() - 1;
                    open.push(new Open(
                            those.get(at),
                            next.before() + (last ? "└ " : "├ "),
                            deep ? next.before() : next.before() + (last ? "  " : "│ ")));
                }
            }
        }

        /** All below it count as told. */
        private void hide(String id) {
            var open = new ArrayDeque<>(led.getOrDefault(id, List.of()));
            while (!open.isEmpty()) {
                var next = open.pop();
                if (told.add(next.id())) {
                    open.addAll(led.getOrDefault(next.id(), List.of()));
                }
            }
        }
    }
}
