package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Reach;
import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import ai.molecule.system.routes.FourServices.Mode;
import ai.molecule.testkit.Documents;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every route with every kind of credential, at its owner and at the front door, against {@code routes.txt}. */
class GuardsIT {

    /** Rows of the table in docs/wire/README.md that begin with one of {@link Reach}. */
    private static final Pattern REACH = Pattern.compile(
            "^\\| (%s) \\| (.*) \\|$"
                    .formatted(Stream.of(Reach.values()).map(Reach::words).collect(Collectors.joining("|"))),
            Pattern.MULTILINE);

    private static final Pattern ROUTE = Pattern.compile("`([A-Z]+ /[^`]*)`");

    private static final List<RouteRow> ROWS = RouteRow.read();
    private static final Policies POLICIES = Policies.read();

    @Test
    void every_route_stands_in_the_tables() {
        try (var services = FourServices.start(Mode.PRODUCTION)) {
            assertThat(listed()).as("routes.txt against the routers' pages").isEqualTo(served(services));
            assertThat(documentedReach()).as("docs/wire/README.md").isEqualTo(declaredReach(services));
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void every_route_answers_every_credential_as_the_table_says(Mode mode) {
        try (var services = FourServices.start(mode)) {
            assertThat(listed()).as("routes.txt against the routers' pages").isEqualTo(served(services));
            var walk = new Walk(services);
            for (var row : ROWS) {
                for (var door : doors(row)) {
                    walk.along(row, door);
                }
            }
            assertThat(walk.wrong)
                    .as("cells that answer otherwise than the table says")
                    .isEmpty();
        }
    }

    /** What one row does to its target must not show in another: after whatever may have changed it there is a new one. */
    private static final class Walk {

        private final FourServices services;
        private final List<String> wrong = new ArrayList<>();
        private Target target;
        private boolean changed;

        Walk(FourServices services) {
            this.services = services;
            target = services.newTarget();
        }

        void along(RouteRow row, Owner door) {
            renew();
            for (var credential : Credential.values()) {
                if (credential == Credential.ORG && !services.hasOrgTokens()) {
                    continue;
                }
                if (row.needsFreshTarget()) {
                    renew();
                }
                look(row, door, credential);
            }
        }

        private void renew() {
            if (changed) {
                target = services.newTarget();
                changed = false;
            }
        }

        private void look(RouteRow row, Owner door, Credential credential) {
            look(row, row.request(target), door, credential);
            if (services.mode == Mode.PRODUCTION) {
                row.requestAgain(target).ifPresent(again -> look(row, again, door, credential));
            }
        }

        private void look(RouteRow row, Request request, Owner door, Credential credential) {
            var answer = Answer.to(services.port(door), request.with(credential.headers(target)));
            changed |= row.changesWith(answer.status());
            int expected = row.expected(POLICIES, services.mode, credential);
            boolean explained =
                    answer.status() < 400 || answer.isJson() && (answer.status() != 401 || answer.isError());
            if (answer.status() != expected || !explained) {
                wrong.add("%s %s at %s with %s: %d instead of %d %s"
                        .formatted(
                                services.mode, row, door, credential.column, answer.status(), expected, answer.body()));
            }
        }
    }

    /** The front door has {@code /health} and its like for itself. */
    private static Set<Owner> doors(RouteRow row) {
        boolean passedOn = RoutingTable.ownerOf(row.path).equals(Optional.of(row.owner));
        return passedOn ? EnumSet.of(row.owner, Owner.PROXY) : EnumSet.of(row.owner);
    }

    /** What each route touches that is no GET, by its routers' pages. */
    private static Map<String, String> declaredReach(FourServices services) {
        var declared = new TreeMap<String, String>();
        services.routes().values().stream()
                .flatMap(List::stream)
                .filter(entry -> !entry.method().equals(HttpMethod.GET))
                .forEach(entry -> declared.put(
                        entry.method() + " " + entry.path(), entry.reach().words()));
        return declared;
    }

    private static Map<String, String> documentedReach() {
        var found = new TreeMap<String, String>();
        REACH.matcher(text(Documents.WIRE_README))
                .results()
                .forEach(row -> ROUTE.matcher(row.group(2))
                        .results()
                        .forEach(route -> found.put(route.group(1), row.group(1))));
        return found;
    }

    private static String text(Path document) {
        try {
            return Files.readString(document);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Map<Owner, Set<String>> listed() {
        var all = new EnumMap<Owner, Set<String>>(Owner.class);
        ROWS.forEach(
                row -> all.computeIfAbsent(row.owner, owner -> new TreeSet<>()).add(row.name()));
        return all;
    }

    private static Map<Owner, Set<String>> served(FourServices services) {
        var all = new EnumMap<Owner, Set<String>>(Owner.class);
        services.routes().forEach((owner, entries) -> {
            var names = new TreeSet<String>();
            entries.forEach(entry -> names.add(entry.method() + " " + entry.path()));
            all.put(owner, names);
        });
        return all;
    }
}
