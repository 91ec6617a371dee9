package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.http.RoutePage;
import ai.molecule.common.routing.Owner;
import ai.molecule.system.routes.FourServices.Mode;
import ai.molecule.testkit.Documents;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How much each route reads, as {@code routes.txt} and docs/wire say it: one byte more is refused in words, whoever sends it. */
class LimitingBodiesIT {

    private static final int KIB = 1024;

    /** Bodies that hold more than the small ones, as docs/wire/README.md lists them. */
    private static final Pattern DOCUMENTED = Pattern.compile("^\\| (\\d+) KiB \\| (.*) \\|$", Pattern.MULTILINE);

    private static final Pattern ROUTE = Pattern.compile("`([A-Z]+ /[^`]*)`");

    private static final List<RouteRow> ROWS = RouteRow.read();
    private static final Policies POLICIES = Policies.read();

    private static FourServices services;
    private static Target target;

    @BeforeAll
    static void start() {
        services = FourServices.start(Mode.PRODUCTION);
        target = services.newTarget();
    }

    @AfterAll
    static void stop() {
        services.close();
    }

    @Test
    void every_route_reads_as_much_as_is_written_down() throws IOException {
        var written = new TreeMap<String, Long>();
        var served = new TreeMap<String, Long>();
        var larger = new TreeMap<String, Long>();
        for (var row : ROWS) {
            if (mayCarryABody(row.method)) {
                written.merge(row.toString(), row.readsBytes(), Math::max);
            }
        }
        services.routes()
                .forEach((owner, entries) -> entries.stream()
                        .filter(entry -> mayCarryABody(entry.method().name()))
                        .forEach(entry -> {
                            Long bytes = entry.bodyMaxBytes();
                            served.put(nameOf(owner, entry), bytes == null ? RouteRow.UNREAD : bytes);
                            if (bytes != null && bytes > RoutePage.BODY_MAX_BYTES) {
                                larger.put(entry.method() + " " + entry.path(), bytes);
                            }
                        }));

        assertThat(written).isEqualTo(served);
        assertThat(documented()).as("docs/wire/README.md").isEqualTo(larger);
    }

    @Test
    void one_byte_more_is_refused_in_words_and_not_one_less() {
        var wrong = new ArrayList<String>();
        Set<String> done = new HashSet<>();
        Map<String, Long> limits = new HashMap<>();
        ROWS.forEach(row -> limits.merge(row.toString(), row.readsBytes(), Math::max));
        for (var row : ROWS) {
            int bytes = limits.get(row.toString()).intValue();
            if (!mayCarryABody(row.method) || bytes == RouteRow.UNREAD || !done.add(row.toString())) {
                continue;
            }
            var request = admitted(row);
            var larger = Answer.to(services.port(row.owner), request.body(text(bytes + 1)));
            var allowed = Answer.to(services.port(row.owner), request.body(text(bytes)));
            if (larger.status() != 413 || !larger.isError()) {
                wrong.add("%s: %d bytes -> %d %s".formatted(row, bytes + 1, larger.status(), larger.body()));
            }
            if (allowed.status() == 0 || allowed.body().contains("request body too large")) {
                wrong.add("%s: %d bytes -> %d %s".formatted(row, bytes, allowed.status(), allowed.body()));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(done).hasSizeGreaterThan(40);
    }

    private static boolean mayCarryABody(String method) {
        return !method.equals(HttpMethod.GET.name()) && !method.equals(HttpMethod.DELETE.name());
    }

    private static String nameOf(Owner owner, RoutePage.Entry entry) {
        return owner + " " + entry.method() + " " + entry.path();
    }

    /** No JSON, so that no route does anything. */
    private static byte[] text(int bytes) {
        return "x".repeat(bytes).getBytes(StandardCharsets.UTF_8);
    }

    private static Request admitted(RouteRow row) {
        var shown = Stream.of(
                        Credential.ADMIN,
                        Credential.OWN, // an agent of its own may do nothing once a row paused it
                        Credential.OWNER)
                .filter(one -> POLICIES.status(row.policy, services.mode, one) == Policies.PASS)
                .findFirst()
                .orElse(Credential.NONE);
        return row.request(target).with(shown.headers(target));
    }

    private static Map<String, Long> documented() throws IOException {
        var found = new TreeMap<String, Long>();
        DOCUMENTED
                .matcher(Files.readString(Documents.WIRE_README))
                .results()
                .forEach(line -> ROUTE.matcher(line.group(2))
                        .results()
                        .forEach(route -> found.put(route.group(1), Long.parseLong(line.group(1)) * KIB)));
        return found;
    }
}
