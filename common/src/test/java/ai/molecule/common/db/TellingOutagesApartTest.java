package ai.molecule.common.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.VertxException;
import io.vertx.pgclient.PgException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TellingOutagesApartTest {

    @Test
    void a_database_that_is_away_or_gave_a_transaction_up_is_unavailable() {
        for (var state : List.of("08006", "25006", "25P03", "40001", "40P01", "53300", "55P03", "57014", "57P01")) {
            assertThat(Postgres.isUnavailable(refused(state))).as(state).isTrue();
        }
    }

    @Test
    void a_wrong_statement_or_value_is_not() {
        for (var state : List.of("", "22P02", "23505", "42601")) {
            assertThat(Postgres.isUnavailable(refused(state))).as(state).isFalse();
        }
    }

    @Test
    void a_connection_that_ended_before_the_pool_heard_of_it_is() {
        assertThat(Postgres.isUnavailable(new VertxException("Connection is not active now, current status: CLOSED")))
                .isTrue();
    }

    private static PgException refused(String state) {
        return new PgException("refused", "ERROR", state, "");
    }
}
