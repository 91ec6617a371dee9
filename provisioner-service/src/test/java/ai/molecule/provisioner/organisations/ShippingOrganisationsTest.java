package ai.molecule.provisioner.organisations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.testing.TestConfig;
import ai.molecule.provisioner.ProvisionerConfig;
import ai.molecule.provisioner.ProvisionerVerticle;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.NoBackend;
import ai.molecule.provisioner.shipped.ShippedFolder;
import ai.molecule.provisioner.testing.StandInRegistry;
import ai.molecule.testkit.Kept;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The example organisations: there after a start, and importable as they are. */
@ExtendWith(VertxExtension.class)
class ShippingOrganisationsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void they_lie_ready_in_a_new_data_folder(Vertx vertx) {
        StandInRegistry.on(vertx);
        var env = TestConfig.env("MOLECULE_ENV", "development", "MOLECULE_DATA", folder.toString());
        var verticle = new ProvisionerVerticle(ProvisionerConfig.fromEnv(env));
        vertx.deployVerticle(verticle).await();

        var listed = Kept.kept(WebClient.create(vertx))
                .get(verticle.actualPort(), "127.0.0.1", "/org/templates")
                .send()
                .await()
                .bodyAsJsonArray();

        assertThat(listed)
                .extracting(each -> ((JsonObject) each).getString("dir"))
                .containsExactly("club", "demo", "studio");
    }

    @Test
    void nothing_is_put_into_a_checkout_that_holds_the_configs() {
        var env = TestConfig.env("MOLECULE_DATA", folder.toString(), "CONFIGS_DIR", "/srv/checkout/configs");

        assertThat(ProvisionerConfig.fromEnv(env).organisations().shipped()).isFalse();
    }

    @Test
    void each_can_be_imported_without_a_warning(Vertx vertx) {
        var organisations = folder.resolve("org-templates");
        ShippedFolder.ORGANISATIONS.layOutWhereNothingIs(vertx, organisations).await();
        var nowhere = folder.resolve("nowhere");
        var library = new OrgLibrary(organisations);

        for (var described : library.list()) {
            var found = library.folder(described.path("dir").asText());
            var file = FilePath.of("org.yaml");
            var written = OrgYaml.read(found, file, found.read(file).orElseThrow());
            var settings = new OrgSettings(organisations, false, nowhere, nowhere, Map.of());
            var planner = new OrgPlanner(OrgTemplate.of(written), found, settings, new NoBackend());

            assertThat(planner.plan()).hasSize(described.path("workspaces").asInt());
            assertThat(planner.warnings()).isEmpty();
            assertThat(OrgSchema.unknownIn(written, 10)).isEmpty();
        }
        assertThat(library.list()).hasSize(3);
    }
}
