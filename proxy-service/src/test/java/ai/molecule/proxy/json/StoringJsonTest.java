package ai.molecule.proxy.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What PostgreSQL cannot hold is replaced; everything else is kept to the byte. */
class StoringJsonTest {

    @Test
    void ordinary_json_is_kept() {
        String json = "{\"a\": 1.10, \"b\":1e400,\"c\":\"\\u00e9 é \\\\u0000 \\ud83d\\ude00 \\n\"}";

        assertThat(StorableJson.of(json.getBytes(UTF_8))).isEqualTo(json);
    }

    @Test
    void a_nul_and_half_a_surrogate_pair_become_the_replacement_character() {
        assertThat(StorableJson.of("[\"a\\u0000b\",\"\\ud83d\",\"\\ude00x\",\"\\ud83d\\u0041\"]".getBytes(UTF_8)))
                .isEqualTo("[\"a\\ufffdb\",\"\\ufffd\",\"\\ufffdx\",\"\\ufffd\\u0041\"]");
    }
}
