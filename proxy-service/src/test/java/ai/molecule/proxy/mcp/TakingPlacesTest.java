package ai.molecule.proxy.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Places of requests: how many there are, and that none is lost. */
class TakingPlacesTest {

    private final McpPlaces places = new McpPlaces(3, 2);
    private final UUID one = UUID.randomUUID();

    @Test
    void neither_one_workspace_nor_all_get_more_than_there_are() {
        assertThat(places.take(one)).isEmpty();
        assertThat(places.take(one)).isEmpty();
        assertThat(places.take(one).map(ApiError::kind)).contains(ApiError.Kind.RATE_LIMITED);
        assertThat(places.take(UUID.randomUUID())).isEmpty();
        assertThat(places.take(UUID.randomUUID()).map(ApiError::kind)).contains(ApiError.Kind.UNAVAILABLE);
        places.leave(one);
        assertThat(places.take(one)).isEmpty();
    }

    @Test
    void a_request_that_fails_before_it_began_leaves_its_place() {
        for (int i = 0; i < 10; i++) {
            assertThat(places.take(one)).isEmpty();
            assertThatThrownBy(() -> places.orLeave(one, () -> {
                        throw new IllegalStateException("a request that cannot be read");
                    }))
                    .hasMessage("a request that cannot be read");
        }
        assertThat(places.take(one)).isEmpty();
        assertThat(places.<String>orLeave(one, () -> "read")).isEqualTo("read");
        assertThat(places.take(one)).isEmpty();
        assertThat(places.take(one)).isPresent();
    }
}
