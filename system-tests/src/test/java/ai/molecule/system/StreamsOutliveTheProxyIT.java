package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The proxy is killed in the middle of two streams; whoever comes back is told every event once, or why not. */
class StreamsOutliveTheProxyIT {

    private static final Duration SOON = Duration.ofMinutes(3);

    @Test
    void a_client_that_comes_back_gets_every_event_once_or_is_told_why_not(@TempDir Path data) {
        try (var platform = Platform.up(data, "--no-demo", "--split");
                var followed = new WordAgent(true);
                var forgetful = new WordAgent(false)) {
            String words = register(platform, "Words", followed);
            String lost = register(platform, "Lost", forgetful);
            var first = new StreamClient(platform, words, null);
            var other = new StreamClient(platform, lost, null);
            await().atMost(SOON)
                    .until(() -> first.words().size() >= 5 && other.words().size() >= 5);

            var proxy = platform.processWith("ProxyMain").orElseThrow();
            proxy.destroyForcibly();

            first.end.join();
            other.end.join();
            await().atMost(SOON)
                    .until(() -> platform.processWith("ProxyMain")
                            .filter(one -> one.pid() != proxy.pid())
                            .isPresent());
            var back = comeBack(platform, words, first);
            var told = comeBack(platform, lost, other);
            if (!back.text().contains("stream-gap")) {
                int before = followed.said();
                await().atMost(SOON).until(() -> back.words().contains(before + 2));
                followed.finish();
                back.end.join();
                everyWordOnce(first, back);
                assertThat(back.data().getLast()).contains("completed");
            }
            await().atMost(SOON).until(told.end::isDone);
            assertThat(told.data().getLast()).containsAnyOf("stream-interrupted", "stream-gap");
            assertThat(followed.sends).hasValue(1);
            assertThat(forgetful.sends).hasValue(1);
        }
    }

    /** Tries until the proxy is there again. */
    private static StreamClient comeBack(Platform platform, String workspaceId, StreamClient before) {
        List<StreamClient> tries = new ArrayList<>();
        await().atMost(SOON).pollInterval(Duration.ofMillis(500)).until(() -> {
            if (!tries.isEmpty() && !tries.getLast().data().isEmpty()) {
                return true;
            }
            if (tries.isEmpty() || tries.getLast().end.isDone()) {
                tries.add(new StreamClient(platform, workspaceId, before.ids().getLast()));
            }
            return false;
        });
        return tries.getLast();
    }

    private static void everyWordOnce(StreamClient first, StreamClient back) {
        List<Integer> positions = new ArrayList<>();
        first.ids().forEach(id -> positions.add(positionOf(id)));
        back.ids().forEach(id -> positions.add(positionOf(id)));
        assertThat(positions)
                .isEqualTo(IntStream.rangeClosed(1, positions.size()).boxed().toList());
        // the task as it is, told on following it again, repeats the words so far; after it each comes once
        var live = back.data().stream()
                .filter(event -> event.contains("artifact-update"))
                .toList();
        assertThat(live).doesNotHaveDuplicates();
        int last = back.words().getLast();
        assertThat(back.words())
                .containsAll(IntStream.rangeClosed(1, last).boxed().toList());
    }

    private static int positionOf(String id) {
        return Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
    }

    private static String register(Platform platform, String name, WordAgent agent) {
        return platform.post(
                        201,
                        "/workspaces",
                        "{\"name\":\"" + name + "\",\"external\":true,\"url\":\"" + agent.url() + "\"}")
                .get("id")
                .asText();
    }
}
