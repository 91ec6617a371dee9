package ai.molecule.provisioner.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.shipped.ShippedFolder;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Plugins come with Molecule. */
@ExtendWith(VertxExtension.class)
class ShippingPluginsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @Test
    void a_registry_that_does_not_exist_yet_begins_with_them(Vertx vertx) {
        Path registry = data.resolve("plugins");

        ShippedFolder.PLUGINS.layOutWhereNothingIs(vertx, registry).await();

        assertThat(new PluginRegistry(vertx, registry).list().await())
                .extracting(PluginInfo::name)
                .containsExactly(
                        "bug-hunt", "code-review", "handover", "meeting-notes", "plain-writing", "web-research");
    }
}
