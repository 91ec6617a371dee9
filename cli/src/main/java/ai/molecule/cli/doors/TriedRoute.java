package ai.molecule.cli.doors;

import ai.molecule.common.routing.RoutingTable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A route of the front door and how it is tried without changing anything.
 *
 * @param path with its parameters, such as {@code /workspaces/:id}
 * @param socket whether it becomes a WebSocket
 */
record TriedRoute(String method, String path, boolean socket, Trial trial) {

    /** How a route is tried. */
    enum Trial {
        /** As it stands: it changes nothing. Parameters are those of a workspace, where one is given. */
        READ,
        /** The same with an id nobody has, because what it reads has effects of its own or is secret. */
        READ_UNKNOWN,
        /** It changes something: with an id nobody has, or with a body that is cut off, and so refused by whoever may. */
        REFUSED,
        /** As it stands, but not as an administrator, who would be obeyed: nothing about it could be wrong enough. */
        NOT_BY_ADMINISTRATORS
    }

    /** What changes something and has neither an id nor a body: with this query it does not. */
    private static final Map<String, String> HARMLESS = Map.of(
            "/admin/a2a-queue/drop-stale", "?max_age_minutes=0", // is no age
            "/admin/keys/rotate", "?at_once=maybe", // is neither
            "/ws/ticket", "", // nobody takes it, and it ends by itself
            "/session", ""); // nobody's, without a cookie

    /** GETs that issue a token, show secrets, or send a download. */
    private static final Set<String> NOT_FOR_A_LOOK = Set.of(
            "/admin/workspaces/:id/test-token",
            "/workspaces/:id/secrets/values",
            "/workspaces/:id/plugins/:name/download");

    /** What the table the routers are tested against says of a route, over all of its rows. */
    private static final class Known {
        private boolean body;
        private boolean refused = true;
        private boolean socket;
    }

    /** In the table's order; those the front door answers for an owner, and its own. */
    static List<TriedRoute> all() {
        try (InputStream table = TriedRoute.class.getResourceAsStream("routes.txt")) {
            if (table == null) {
                throw new IllegalStateException("the table of routes is missing");
            }
            return in(new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        } catch (IOException broken) {
            throw new IllegalStateException(broken);
        }
    }

    private static List<TriedRoute> in(List<String> lines) {
        Map<String, Known> routes = new LinkedHashMap<>();
        Optional<Known> current = Optional.empty();
        for (String line : lines) {
            if (line.startsWith(" ")) {
                String more = line.strip();
                current.ifPresent(route -> {
                    route.body |= more.startsWith("{\"");
                    route.socket |= more.equalsIgnoreCase("Upgrade: websocket");
                });
            } else if (!line.isBlank() && !line.startsWith("#")) {
                String[] words = line.split(" +");
                current = isAtTheFrontDoor(words[0], words[2])
                        ? Optional.of(routes.computeIfAbsent(words[1] + " " + words[2], name -> new Known()))
                        : Optional.empty();
                current.ifPresent(route -> route.refused &= Integer.parseInt(words[4]) >= 400);
            }
        }
        List<TriedRoute> doors = new ArrayList<>();
        routes.forEach((name, route) -> {
            String[] words = name.split(" ");
            doors.add(new TriedRoute(words[0], words[1], route.socket, trial(words[0], words[1], route)));
        });
        return doors;
    }

    private static boolean isAtTheFrontDoor(String service, String path) {
        return RoutingTable.ownerOf(path)
                .map(owner -> owner.name().toLowerCase(Locale.ROOT).equals(service))
                .orElse(false);
    }

    private static Trial trial(String method, String path, Known route) {
        if (method.equals("GET")) {
            return NOT_FOR_A_LOOK.contains(path) ? Trial.READ_UNKNOWN : Trial.READ;
        }
        return path.contains(":") || route.body || route.refused || HARMLESS.containsKey(path)
                ? Trial.REFUSED
                : Trial.NOT_BY_ADMINISTRATORS;
    }

    /** The path for a request; {@code known} stands for the workspace where that may be looked at. */
    String pathFor(Optional<String> known, String unknown) {
        String id = trial == Trial.READ ? known.orElse(unknown) : unknown;
        return path.replaceFirst("/workspaces/:id\\b", "/workspaces/" + id)
                        .replaceAll(":[A-Za-z_]+", unknown)
                        .replace("*", "nothing")
                + (method.equals("GET") ? "" : HARMLESS.getOrDefault(path, ""));
    }
}
