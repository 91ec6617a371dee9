package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Guard;
import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import ai.molecule.testkit.Documents;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The router against docs/wire/events.md, the routing table and callers without a credential. */
@ExtendWith(VertxExtension.class)
class DescribedRoutesTest {

    private static final Path PAGE = Documents.WIRE_EVENTS;
    private static final Pattern ROUTE = Pattern.compile("^\\| (GET|POST|PUT|PATCH|DELETE) ");
    private static final List<String> PROBES = List.of("/health", "/ready", "/metrics");

    @Test
    void every_route_stands_in_the_description_with_its_guard(Vertx vertx) throws IOException {
        var service = EventsFixture.start(vertx);

        var described = Files.readAllLines(PAGE).stream()
                .filter(line -> ROUTE.matcher(line).find())
                .map(line -> line.split("\\|"))
                .map(cells -> cells[1].trim() + " " + cells[2].trim().replace("`", "") + " " + cells[3].trim())
                .toList();
        var routed = service.verticle.routes().stream()
                .map(entry -> entry.method() + " " + entry.path() + " " + entry.guard())
                .toList();

        assertThat(described).containsExactlyInAnyOrderElementsOf(routed);
    }

    @Test
    void every_route_is_one_that_the_front_door_sends_here(Vertx vertx) {
        var service = EventsFixture.start(vertx);

        assertThat(service.verticle.routes())
                .filteredOn(entry -> !PROBES.contains(entry.path()))
                .allSatisfy(
                        entry -> assertThat(RoutingTable.ownerOf(entry.path())).contains(Owner.EVENTS));
    }

    @Test
    void nothing_but_the_probes_answers_without_a_credential(Vertx vertx) {
        var service = EventsFixture.start(vertx, "MOLECULE_ENV", "");
        var workspace = service.organisation.add("agent", null);
        service.organisation.tokenFor(workspace);

        for (var entry : service.verticle.routes()) {
            String path =
                    entry.path().replace(":id", workspace.toString()).replace(":workspaceId", workspace.toString());
            if (path.equals("/ui/:file")) {
                continue; // which files there are, ServingThePageTest knows
            }
            String answer =
                    service.send(entry.method(), path, entry.method().name().equals("POST") ? "{}" : null);
            String wanted =
                    switch (entry.guard()) {
                        case OPEN, CREDENTIAL, METRICS -> "200 "; // without MOLECULE_ENV these doors are open
                        case ADMIN, LOOKING, LISTING, OWNER -> "401 {\"error\":\"admin auth required\"}";
                        case WORKSPACE, RESULTS, ADMITTED -> "401 {\"error\":\"missing workspace auth token\"}";
                        case HANDLER -> "400 {\"error\":\"websocket upgrade required\"}";
                        case CANVAS_OR_BEARER, PERSON -> "401 ";
                    };
            assertThat(answer).as("%s %s", entry.method(), path).startsWith(wanted);
        }
    }

    @Test
    void a_workspaces_token_opens_its_own_routes_only(Vertx vertx) {
        var service =
                EventsFixture.start(vertx, "MOLECULE_ENV", "", "ADMIN_TOKEN", "root", "MOLECULE_BIND", "127.0.0.1");
        var workspace = service.organisation.add("agent", null);
        String[] bearer = {"Authorization", "Bearer " + service.organisation.tokenFor(workspace)};

        assertThat(service.get("/workspaces/" + workspace + "/activity", bearer))
                .isEqualTo("200 []");
        assertThat(service.get("/workspaces/" + UUID.randomUUID() + "/activity", bearer))
                .startsWith("401 ");
        assertThat(service.get("/events", bearer)).isEqualTo("401 {\"error\":\"invalid admin auth token\"}");
        assertThat(service.get("/events", "Authorization", "Bearer root")).isEqualTo("200 []");
        assertThat(service.verticle.routes()).extracting(entry -> entry.guard()).contains(Guard.ADMIN);
    }
}
