package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The proxy is killed in the middle of two streams; whoever comes back is told every event once, or why not. */
@Tag("full")
class StreamsOutliveTheProxyIT {

    @Test
    void a_client_of_either_version_that_comes_back_gets_every_event_once_or_is_told_why_not(@TempDir Path data) {
        try (var platform = Platform.up(data, "--no-demo", "--split");
                var followed = new WordAgent(true);
                var carriedOver = new WordAgent(true);
                var forgetful = new WordAgent(false)) {
            var first = begin(platform, register(platform, "Words", followed), "0.3");
            var newer = begin(platform, register(platform, "Carried over", carriedOver), "1.0");
            var other = begin(platform, register(platform, "Lost", forgetful), "0.3");
            await().until(() -> Stream.of(first, newer, other)
                    .allMatch(client -> client.words().size() >= 5));

            var proxy = platform.processWith("ProxyMain").orElseThrow();
            proxy.destroyForcibly();

            Stream.of(first, newer, other).forEach(client -> client.end.join());
            await().until(() -> platform.processWith("ProxyMain")
                    .filter(one -> one.pid() != proxy.pid())
                    .isPresent());
            var back = heard(first::again);
            var newerBack = heard(newer::again);
            var told = heard(other::again);
            isToldAll(first, back, followed, "\"state\":\"completed\"");
            isToldAll(newer, newerBack, carriedOver, "\"state\":\"TASK_STATE_COMPLETED\"");
            await().until(told.end::isDone);
            assertThat(told.data().getLast()).containsAnyOf("stream-interrupted", "stream-gap");
            assertThat(newer.text() + newerBack.text()).doesNotContain("\"kind\"");
            for (var agent : List.of(followed, carriedOver, forgetful)) {
                assertThat(agent.sends).hasValue(1);
            }
        }
    }

    private static void isToldAll(StreamClient first, StreamClient back, WordAgent agent, String end) {
        if (back.text().contains("stream-gap")) {
            return;
        }
        int before = agent.said();
        await().until(() -> back.words().contains(before + 2));
        agent.finish();
        back.end.join();
        everyWordOnce(first, back);
        assertThat(back.data().getLast()).contains(end);
    }

    private static StreamClient begin(Platform platform, String workspaceId, String version) {
        return heard(() -> new StreamClient(platform, workspaceId, version));
    }

    /** Tries until the proxy is there and has a place: it sends away whom it cannot serve, and says that they shall come again. */
    private static StreamClient heard(Supplier<StreamClient> again) {
        List<StreamClient> tries = new ArrayList<>();
        await().pollInterval(Duration.ofMillis(500)).until(() -> {
            if (!tries.isEmpty() && !tries.getLast().data().isEmpty()) {
                return true;
            }
            if (tries.isEmpty() || tries.getLast().end.isDone()) {
                tries.add(again.get());
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
                .filter(event -> event.contains("artifact-update") || event.contains("artifactUpdate"))
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
