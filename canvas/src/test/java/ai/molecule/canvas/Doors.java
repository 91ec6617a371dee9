package ai.molecule.canvas;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which role each route asks of people, in production: read from the tables that services-tests holds against the real routers, so that what
 * is staged here cannot be kinder than they are.
 */
final class Doors {

    private static final Path TABLES = Path.of(
            "..", "services-tests", "src", "test", "resources", "ai", "molecule", "system", "routes", "routes.txt");
    private static final Pattern ROW = Pattern.compile("\\w+ ([A-Z]+) (/\\S*) (\\S+) \\d+");
    private static final Pattern BUT = Pattern.compile(" +but production (viewer|branch) (\\d+)");
    private static final List<String> ROLES = List.of("viewer", "operator", "owner");
    private static final List<Route> ROUTES = read();

    /** @param branch null for the organisation */
    record Grant(String role, @Nullable String branch) {

        boolean covers(String role) {
            return ROLES.indexOf(this.role) >= ROLES.indexOf(role);
        }
    }

    /** @param but what a viewer, or somebody of a branch, is answered otherwise than the policy says */
    private record Route(String method, Pattern path, int literals, String policy, Map<String, Integer> but) {

        boolean fits(String method, String path) {
            return this.method.equals(method) && this.path.matcher(path).matches();
        }
    }

    private Doors() {}

    /** @param below whether the second is the first, or below it */
    static Optional<Integer> refusal(
            String method, String path, List<Grant> grants, BiPredicate<String, String> below) {
        var route = ROUTES.stream()
                .filter(one -> one.fits(method, path))
                .max(Comparator.comparing((Route one) -> one.literals)
                        .thenComparing(one -> !one.policy.equals("own"))) // of an agent and of people: here come people
                .orElseThrow(() -> new AssertionError("no such route: " + method + " " + path));
        boolean looks = method.equals("GET");
        String needs =
                switch (route.policy) {
                    case "open", "person" -> "";
                    case "owner" -> "owner";
                    case "canvas" -> "operator";
                    case "credential" -> route.but.containsKey("viewer") ? "operator" : "";
                    default -> looks || route.but.getOrDefault("viewer", 403) == 200 ? "viewer" : "operator";
                };
        if (needs.isEmpty() || grants.stream().anyMatch(one -> one.branch() == null && one.covers(needs))) {
            return Optional.empty();
        }
        boolean everybody = grants.stream().anyMatch(one -> one.branch() == null);
        if (path.startsWith("/workspaces/") && !route.policy.equals("owner")) {
            String id = path.split("/")[2];
            if (grants.stream()
                    .anyMatch(one -> one.branch() != null && one.covers(needs) && below.test(one.branch(), id))) {
                return Optional.empty();
            }
            boolean seen =
                    everybody || grants.stream().anyMatch(one -> one.branch() != null && below.test(one.branch(), id));
            return Optional.of(seen ? 403 : 404);
        }
        boolean ofBranch =
                !everybody && route.but.getOrDefault("branch", 403) != 403; // whether it is there is another question
        return ofBranch ? Optional.empty() : Optional.of(403);
    }

    private static List<Route> read() {
        try {
            var routes = new ArrayList<Route>();
            for (String line : Files.readAllLines(TABLES)) {
                var row = ROW.matcher(line);
                var but = BUT.matcher(line);
                if (row.matches()) {
                    String path = row.group(2);
                    String pattern = path.replaceAll(":\\w+", "[^/]+").replace("/*", "/.+");
                    int literals = path.replaceAll(":\\w+|\\*", "").length();
                    routes.add(
                            new Route(row.group(1), Pattern.compile(pattern), literals, row.group(3), new HashMap<>()));
                } else if (but.matches()) {
                    routes.getLast().but.put(but.group(1), Integer.valueOf(but.group(2)));
                }
            }
            return routes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
