package ai.molecule.system.routes;

import ai.molecule.common.http.RoutePage;
import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import ai.molecule.system.routes.FourServices.Mode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One row of {@code routes.txt}; the comment on top of that file says what stands where. */
final class RouteRow {

    static final long UNREAD = -1;

    private static final Pattern PARAMETER = Pattern.compile(":([A-Za-z_]+)");

    final Owner owner;
    final String method;
    final String path;
    final String policy;
    private final int passed;
    private String body = "";
    private String query = "";
    private String again = "";
    private boolean fresh;
    private long readsBytes = RoutePage.BODY_MAX_BYTES;
    private final List<String> headers = new ArrayList<>();
    private final Map<String, String> parameters = new HashMap<>(Map.of("id", "{id}"));
    private final Map<String, Integer> exceptions = new HashMap<>();

    /** The same route without what its request carries. */
    private RouteRow(RouteRow route) {
        owner = route.owner;
        method = route.method;
        path = route.path;
        policy = route.policy;
        passed = route.passed;
    }

    private RouteRow(String[] words) {
        owner = Owner.valueOf(words[0].toUpperCase(Locale.ROOT));
        method = words[1];
        path = words[2];
        policy = words[3];
        passed = Integer.parseInt(words[4]);
    }

    static List<RouteRow> read() {
        var rows = new ArrayList<RouteRow>();
        for (String line : Lines.of("routes.txt")) {
            if (line.startsWith(" ")) {
                rows.getLast().add(line.trim());
            } else {
                rows.add(new RouteRow(line.split("\\s+")));
            }
        }
        return rows;
    }

    /** The same route asked in another way: with what these lines say and nothing else. */
    RouteRow asked(List<String> lines) {
        var row = new RouteRow(this);
        lines.forEach(row::add);
        return row;
    }

    /** Where people ask: the front door, but for what every service answers itself. */
    Owner door() {
        return RoutingTable.ownerOf(path).equals(Optional.of(owner)) ? Owner.PROXY : owner;
    }

    /** Method and path as on the router's page. */
    String name() {
        return method + " " + path;
    }

    boolean hasBody() {
        return !body.isEmpty();
    }

    /** The most its body may hold; {@link #UNREAD} where the handler takes the request unread. */
    long readsBytes() {
        return readsBytes;
    }

    /** Whether the route, once done, answers otherwise the second time. */
    boolean needsFreshTarget() {
        return fresh;
    }

    /** Whether something may be otherwise after such an answer. */
    boolean changesWith(int status) {
        return !method.equals("GET") && (status < 400 || status == passed);
    }

    /** The request of somebody who shows nothing. */
    Request request(Target target) {
        return request(target::fill);
    }

    /** @param fill puts something in the place of each placeholder of a text */
    Request request(UnaryOperator<String> fill) {
        return request(fill, path);
    }

    /** The same at the other path that the route has; empty where it has none. */
    Optional<Request> requestAgain(Target target) {
        return again.isEmpty() ? Optional.empty() : Optional.of(request(target::fill, again));
    }

    private Request request(UnaryOperator<String> fill, String at) {
        return new Request(
                        method,
                        filled(at, parameter -> fill.apply(parameters.getOrDefault(parameter, "{uuid}")))
                                + fill.apply(query),
                        headers.stream().map(fill).toList(),
                        new byte[0])
                .body(fill.apply(body));
    }

    /** Names of the path's parameters. */
    List<String> parameters() {
        return PARAMETER.matcher(path).results().map(found -> found.group(1)).toList();
    }

    /** The path with every parameter replaced. */
    String path(UnaryOperator<String> valueOf) {
        return filled(path, valueOf);
    }

    private static String filled(String path, UnaryOperator<String> valueOf) {
        return PARAMETER.matcher(path).replaceAll(found -> Matcher.quoteReplacement(valueOf.apply(found.group(1))));
    }

    int expected(Policies policies, Mode mode, Credential credential) {
        Integer own = exceptions.get(mode + " " + credential.column);
        int status = own == null ? policies.status(policy, mode, credential) : own;
        return switch (status) {
            case Policies.PASS -> passed;
            case Policies.LOOK -> method.equals("GET") ? passed : 403;
            case Policies.THERE -> path.startsWith("/workspaces/:id") ? passed : 403;
            default -> status;
        };
    }

    private void add(String line) {
        if (line.startsWith("{") || line.startsWith("[")) {
            body = line;
        } else if (line.startsWith("?")) {
            query = line;
        } else if (line.startsWith(":")) {
            String[] parts = line.substring(1).split("=", 2);
            parameters.put(parts[0], parts[1]);
        } else if (line.startsWith("also ")) {
            again = line.substring("also ".length());
        } else if (line.equals("fresh")) {
            fresh = true;
        } else if (line.startsWith("reads ")) {
            String kib = line.split("\\s+")[1];
            readsBytes = kib.equals("unread") ? UNREAD : Long.parseLong(kib) * 1024;
        } else if (line.startsWith("but ")) {
            String[] words = line.split("\\s+");
            exceptions.put(words[1].toUpperCase(Locale.ROOT) + " " + words[2], Integer.parseInt(words[3]));
        } else {
            headers.add(line);
        }
    }

    @Override
    public String toString() {
        return owner + " " + name();
    }
}
