package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requests as cassettes know them again. */
class CanonicalRequestTest {

    @Test
    void what_is_another_at_every_run_is_an_ordinal() {
        var request = canonical("read /work/a/b.txt/ and /tmp/c for call_12345678");

        assertThat(request.text()).isEqualTo("read <path-1> and <path-2> for <id-1>");
        assertThat(request.told(request.kept("wrote /tmp/c"))).isEqualTo("wrote /tmp/c");
    }

    @Test
    void a_path_of_any_depth_is_a_path() {
        assertThat(canonical("in /tmp" + "/a".repeat(1_000_000) + " now").text())
                .isEqualTo("in <path-1> now");
    }

    @Test
    void more_different_ones_than_are_looked_for_in_an_answer_stay_as_they_are() {
        String words = IntStream.range(0, CanonicalRequest.ORDINALS_MAX + 2)
                .mapToObj(n -> "/tmp/%d".formatted(n))
                .collect(Collectors.joining(" "));

        assertThat(canonical(words + " /tmp/7").text()).endsWith("<path-10000> /tmp/10000 /tmp/10001 <path-8>");
    }

    private static CanonicalRequest canonical(String body) {
        return CanonicalRequest.of(body.getBytes(StandardCharsets.UTF_8));
    }
}
