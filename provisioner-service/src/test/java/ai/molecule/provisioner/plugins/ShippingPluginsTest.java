package ai.molecule.provisioner.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Plugins come with Molecule, and an operator's own folder is his own. */
@ExtendWith(VertxExtension.class)
class ShippingPluginsTest {

    private static final Path RESOURCES = Path.of("src/main/resources/plugins");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @Test
    void a_registry_that_does_not_exist_yet_begins_with_them(Vertx vertx) {
        Path registry = data.resolve("a/plugins");

        ShippedPlugins.unpackWhereNothingIs(vertx, registry).await();

        assertThat(new PluginRegistry(vertx, registry).list().await())
                .extracting(PluginInfo::name)
                .containsExactly("meeting-notes", "plain-writing");
        assertThat(Files.isExecutable(registry.resolve("meeting-notes/setup.sh")))
                .isTrue();
        assertThat(data.resolve("a").toFile().list()).containsExactly("plugins");
    }

    @Test
    void one_that_exists_is_left_alone_even_when_it_is_empty(Vertx vertx) throws IOException {
        Path registry = Files.createDirectory(data.resolve("plugins"));

        ShippedPlugins.unpackWhereNothingIs(vertx, registry).await();

        assertThat(registry).isEmptyDirectory();
    }

    @Test
    void every_file_of_theirs_is_listed() throws IOException {
        try (var files = Files.walk(RESOURCES)) {
            assertThat(ShippedPlugins.files())
                    .containsExactlyInAnyOrderElementsOf(files.filter(Files::isRegularFile)
                            .map(file -> RESOURCES.relativize(file).toString())
                            .filter(file -> !file.equals("files.txt"))
                            .toList());
        }
    }
}
