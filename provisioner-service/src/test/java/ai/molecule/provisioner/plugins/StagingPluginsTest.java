package ai.molecule.provisioner.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Where plugins are prepared, and how many at once. */
@ExtendWith(VertxExtension.class)
class StagingPluginsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @Test
    void what_a_crash_left_is_gone_at_the_next_start(Vertx vertx) throws IOException {
        Path staging = data.resolve("plugin-staging");
        PluginPlatform.write(staging.resolve("left/files/plugin.yaml"), "half of it");
        Files.createSymbolicLink(staging.resolve("link"), Files.createDirectory(data.resolve("precious")));
        PluginPlatform.write(data.resolve("precious/file"), "stays");

        Staging.open(vertx, staging).await();

        assertThat(staging).isEmptyDirectory();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(staging)))
                .isEqualTo("rwx------");
        assertThat(data.resolve("precious/file")).exists();
    }

    @Test
    void a_place_is_gone_when_it_is_left(Vertx vertx) {
        var staging = Staging.open(vertx, data.resolve("plugin-staging")).await();
        var place = staging.enter().await();
        PluginPlatform.write(place.files().resolve("a/b"), "x");

        place.leave().await();

        assertThat(data.resolve("plugin-staging")).isEmptyDirectory();
    }

    @Test
    void work_waits_for_its_turn_in_order_and_too_much_is_refused() {
        var turns = new Turns(1, 2);
        List<Promise<Void>> begun = new ArrayList<>();
        var all = Stream.generate(() -> turns.take(() -> {
                    Promise<Void> work = Promise.promise();
                    begun.add(work);
                    return work.future();
                }))
                .limit(4)
                .toList();

        assertThat(begun).hasSize(1);
        assertThat(all.get(3).cause()).hasMessageContaining("retry shortly");
        begun.get(0).fail("broken");
        begun.get(1).complete();
        begun.get(2).complete();
        assertThat(all.get(0).failed()).isTrue();
        assertThat(all.get(1).succeeded()).isTrue();
        assertThat(all.get(2).succeeded()).isTrue();
        Future<Void> thrown = turns.take(() -> {
            throw new IllegalStateException("no work");
        });
        assertThat(thrown.failed()).isTrue();
        assertThat(turns.take(Future::<Void>succeededFuture).succeeded()).isTrue();
    }
}
