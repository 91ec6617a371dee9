package ai.molecule.provisioner;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Guard;
import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.testkit.Documents;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** docs/wire/provisioner.md lists the routes the service has, with their guards, and the front door sends them here. */
@ExtendWith(VertxExtension.class)
class ProvisionerDocumentTest {

    private static final Pattern ROUTE =
            Pattern.compile("^\\| `([A-Z]+) (/[^`]*)` \\| ([A-Z_]+) \\|", Pattern.MULTILINE);

    private static final Set<Guard> PROBES = Set.of(Guard.OPEN, Guard.METRICS);

    @Test
    void the_document_and_the_router_list_the_same_routes(Vertx vertx) throws IOException {
        var verticle = new ProvisionerVerticle(ProvisionerConfig.fromEnv(TestConfig.env()));
        vertx.deployVerticle(verticle).await();
        var entries = verticle.routes();

        var document = Files.readString(Documents.WIRE_PROVISIONER);

        assertThat(ROUTE.matcher(document).results().map(found -> found.group(1) + found.group(2) + found.group(3)))
                .containsExactlyInAnyOrderElementsOf(entries.stream()
                        .map(entry -> "" + entry.method() + entry.path() + entry.guard())
                        .toList());
        assertThat(entries.stream().filter(entry -> !PROBES.contains(entry.guard())))
                .isNotEmpty()
                .allSatisfy(
                        entry -> assertThat(RoutingTable.ownerOf(entry.path())).contains(Owner.PROVISIONER));
    }
}
