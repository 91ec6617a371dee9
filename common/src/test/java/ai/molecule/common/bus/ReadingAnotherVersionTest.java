package ai.molecule.common.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a service of one version reads that one of the next wrote, and the other way round (docs/upgrades.md). */
class ReadingAnotherVersionTest {

    private record Asked(String id, @Nullable String since, int count) {}

    @Test
    void a_member_that_only_the_newer_knows_is_passed_over() {
        assertThat(Bus.decode(
                        Buffer.buffer("{\"id\":\"a\",\"since\":\"b\",\"count\":1,\"later\":{\"x\":[1]}}"), Asked.class))
                .isEqualTo(new Asked("a", "b", 1));
    }

    @Test
    void a_member_that_the_older_did_not_say_is_none() {
        assertThat(Bus.decode(Buffer.buffer("{\"id\":\"a\"}"), Asked.class)).isEqualTo(new Asked("a", null, 0));
    }
}
