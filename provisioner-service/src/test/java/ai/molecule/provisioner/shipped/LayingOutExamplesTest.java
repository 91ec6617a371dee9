package ai.molecule.provisioner.shipped;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What comes with Molecule begins an operator's folder, and is never laid over what is there. */
@ExtendWith(VertxExtension.class)
class LayingOutExamplesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @ParameterizedTest
    @EnumSource
    void every_file_is_listed(ShippedFolder shipped) throws IOException {
        Path resources = Path.of("src/main/resources", shipped.name().toLowerCase(Locale.ROOT));
        try (var files = Files.walk(resources)) {
            assertThat(shipped.files())
                    .containsExactlyInAnyOrderElementsOf(files.filter(Files::isRegularFile)
                            .map(file -> resources.relativize(file).toString())
                            .filter(file -> !file.equals("files.txt"))
                            .toList());
        }
    }

    @Test
    void replicas_that_start_at_once_lay_one_folder_out(Vertx vertx) {
        Path folder = data.resolve("a/plugins");

        Future.all(IntStream.range(0, 4)
                        .mapToObj(replica -> ShippedFolder.PLUGINS.layOutWhereNothingIs(vertx, folder))
                        .toList())
                .await();

        assertThat(data.resolve("a").toFile().list()).containsExactly("plugins");
        assertThat(folder.resolve("meeting-notes/setup.sh")).isExecutable();
        assertThat(folder.resolve("plain-writing")).isNotEmptyDirectory();
    }

    @Test
    void a_folder_that_exists_is_left_alone_even_when_it_is_empty(Vertx vertx) throws IOException {
        Path folder = Files.createDirectory(data.resolve("plugins"));

        ShippedFolder.PLUGINS.layOutWhereNothingIs(vertx, folder).await();

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void where_nothing_can_be_written_there_are_none(Vertx vertx) throws IOException {
        Path file = Files.writeString(data.resolve("file"), "not a folder");

        ShippedFolder.PLUGINS
                .layOutWhereNothingIs(vertx, file.resolve("plugins"))
                .await();

        assertThat(file).hasContent("not a folder");
    }
}
