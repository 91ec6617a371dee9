package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

/** The platform computes the same for the same: the registry's tests have the same digests. */
class ApprovalDigestTest {

    @Test
    void an_approval_without_a_context_has_the_digest_of_its_words() throws Exception {
        assertThat(ApprovalDigest.of("deploy", "", json("{}")))
                .isEqualTo("6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d");
    }

    @Test
    void spelling_and_order_of_the_context_change_nothing() throws Exception {
        String digest = "309faa5605541f16426204ea595d4999b534b0b2f0dd6d23ca5de4f4eca7c2ef";

        assertThat(ApprovalDigest.of("run ./check", "because", json("""
                {"tool":"run","arguments":{"command":"./check \\"a\\"\\n","whole":1e3,"part":1.50,"big":12345678901234567890,
                "list":[true,null,"\u20AC\\u0001\uD83D\uDE00"],"z/~":1e300,"-0":-0.0}}"""))).isEqualTo(digest);
        assertThat(ApprovalDigest.of("run ./check", "because", json("""
                {"arguments":{"-0":0,"z/~":10e299,"part":1.5,"whole":1000.0,"list":[true,null,"\\u20ac\\u0001\\ud83d\\ude00"],
                "big":12345678901234567890,"command":"./check \\u0022a\\"\\u000a"},"tool":"run"}"""))).isEqualTo(digest);
    }

    @Test
    void whatever_is_changed_changes_it() throws Exception {
        assertThat(new String[] {
                    ApprovalDigest.of("run", "", json("{\"n\":9007199254740993}")),
                    ApprovalDigest.of("run", "", json("{\"n\":9007199254740992}")),
                    ApprovalDigest.of("run", "", json("{\"n\":\"9007199254740993\"}")),
                    ApprovalDigest.of("run", "", json("{\"n\":\"9007199254740993e0\"}")),
                    ApprovalDigest.of("run", "", json("{\"n\":0.1}")),
                    ApprovalDigest.of("run", "", json("{\"n\":0.10000000000000001}")),
                    ApprovalDigest.of("run", "", json("{\"n\":null}")),
                    ApprovalDigest.of("run", "", json("{\"n\":[]}")),
                    ApprovalDigest.of("run", "", json("{\"n\":{}}")),
                    ApprovalDigest.of("run", "", json("{\"m\":null}")),
                    ApprovalDigest.of("run", "why", json("{\"n\":null}")),
                    ApprovalDigest.of("runwhy", "", json("{\"n\":null}")),
                })
                .doesNotHaveDuplicates();
    }

    private static ObjectNode json(String text) throws Exception {
        var exact = JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
        return (ObjectNode) exact.readTree(text);
    }
}
