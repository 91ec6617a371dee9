package ai.molecule.cli.doors;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import ai.molecule.common.routing.RoutingTable;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code molecule doctor --doors} against a platform that writes down what it is asked. */
class TryingDoorsTest {

    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}");

    private final Screen screen = new Screen();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final AtomicInteger tooMany = new AtomicInteger();
    private HttpServer platform;

    @BeforeEach
    void startPlatform() throws IOException {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/", exchange -> {
            String path = exchange.getRequestURI().toString();
            String bearer = exchange.getRequestHeaders().getFirst("Authorization");
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String line = exchange.getRequestMethod() + " " + path;
            asked.add("%s %s %s".formatted(line, body, bearer));
            boolean limited = tooMany.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
            exchange.getResponseHeaders().add("Retry-After", "1");
            byte[] answer = answerTo(line).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(
                    limited
                            ? 429
                            : path.equals("/workspaces")
                                            || path.contains("/workspaces/i-1/tokens")
                                            || path.contains("/org/tokens")
                                            || bearer != null
                                    ? 200
                                    : 401,
                    answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        platform.start();
    }

    @AfterEach
    void stopPlatform() {
        platform.stop(0);
    }

    @Test
    void the_table_is_that_of_the_routers_and_names_every_row_of_the_front_door() {
        List<TriedRoute> doors = TriedRoute.all();

        assertThat(doors).hasSizeGreaterThan(90).doesNotHaveDuplicates();
        assertThat(doors).allMatch(door -> RoutingTable.ownerOf(door.path()).isPresent());
        assertThat(doors)
                .extracting(door -> RoutingTable.rowOf(door.path()).orElseThrow())
                .contains(RoutingTable.ROWS.toArray(RoutingTable.Row[]::new));
    }

    @Test
    void nothing_that_changes_something_is_asked_in_a_way_that_could_do_it() {
        assertThat(run("--doors", "--as", "Lead")).isZero();

        assertThat(asked)
                .filteredOn(each -> !each.startsWith("GET "))
                .allSatisfy(each -> assertThat(each)
                        .satisfiesAnyOf(
                                byUnknownId -> assertThat(byUnknownId).containsPattern(UUID),
                                cutOff -> assertThat(cutOff).contains(" { "),
                                ownToken -> assertThat(ownToken)
                                        .startsWith("POST /workspaces/i-1/tokens ")
                                        .doesNotContain("doors-"),
                                ownToken -> assertThat(ownToken).startsWith("DELETE /workspaces/i-1/tokens/t-1 "),
                                orgToken -> assertThat(orgToken).startsWith("POST /org/tokens "),
                                orgToken -> assertThat(orgToken).startsWith("DELETE /org/tokens/o-1 ")));
        assertThat(asked)
                .filteredOn(each -> each.contains("/admin/a2a-queue/drop-stale"))
                .isNotEmpty()
                .allMatch(each -> each.contains("?max_age_minutes=0 "));
        assertThat(asked)
                .noneMatch(
                        each -> each.startsWith("POST /admin/secrets/rotate") && each.contains("of-the-organisation"))
                .noneMatch(each -> each.startsWith("GET /admin/workspaces/i-1/test-token"))
                .noneMatch(each -> each.startsWith("GET /workspaces/i-1/secrets/values"));
        assertThat(asked).anyMatch(each -> each.startsWith("GET /approvals/pending"));
        assertThat(asked.getLast()).startsWith("DELETE /workspaces/i-1/tokens/t-1");
        assertThat(asked).contains("DELETE /org/tokens/o-1  null");
    }

    @Test
    void each_row_has_what_each_credential_was_answered_and_empty_cells_where_there_is_none() {
        assertThat(run("--doors")).isZero();

        assertThat(screen.out().lines())
                .anyMatch(line -> line.matches("GET +/workspaces/:id +401 +200 +- +- +-"))
                .anyMatch(line -> line.matches("POST +/admin/secrets/rotate +401 +200 +- +- +-"));
        assertThat(screen.err()).contains("Nothing was changed. Routes");
    }

    @Test
    void a_limited_rate_is_waited_for() {
        tooMany.set(1);

        assertThat(run("--doors")).isZero();

        assertThat(screen.err()).contains("waiting 1 s");
        assertThat(screen.out()).doesNotContain("429");
    }

    private static String answerTo(String line) {
        return switch (line) {
            case "GET /workspaces" -> "[{\"id\":\"i-1\",\"name\":\"Lead\"}]";
            case "POST /workspaces/i-1/tokens" -> "{\"auth_token\":\"made-for-this\"}";
            case "POST /org/tokens" -> "{\"id\":\"o-1\",\"auth_token\":\"of-the-organisation\"}";
            case "GET /workspaces/i-1/tokens" ->
                "{\"tokens\":[{\"id\":\"t-0\",\"prefix\":\"other\"},{\"id\":\"t-1\",\"prefix\":\"made-for\"}]}";
            default -> "{}";
        };
    }

    private int run(String... words) {
        var all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--url", "http://127.0.0.1:" + platform.getAddress().getPort()));
        return new CommandLine(new DoctorCommand(screen.console(), MoleculeHome.fromSystemProperties()))
                .execute(all.toArray(String[]::new));
    }
}
