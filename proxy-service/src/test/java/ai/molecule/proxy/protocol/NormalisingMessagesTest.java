package ai.molecule.proxy.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is missing is put in, and every byte the sender wrote stays. */
class NormalisingMessagesTest {

    private static final UUID MADE = UUID.fromString("00000000-0000-4000-8000-000000000001");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1e400,\"method\":\"m\",\"params\":{\"message\":{\"messageId\":\"x\"},\"n\":1.10}}",
                " {\n \"jsonrpc\" : \"1.0\" , \"x\":[1,1.0,1.00],\"params\":{\"message\":{\"messageId\":null}} }\n",
                "{\"jsonrpc\":null,\"a\":1,\"a\":2,\"s\":\"\\u00e9\\/\"}",
                "{\"\\u006asonrpc\":\"2.0\",\"params\":[{\"message\":{}}]}"
            })
    void a_complete_envelope_is_not_touched(String body) {
        assertThat(normalised(body)).isEqualTo(body);
    }

    @Test
    void a_message_of_1_0_is_given_no_id_for_its_agent_refuses_it_without_one() {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{\"role\":1}}}";

        var envelope = MessageEnvelope.normalise(body.getBytes(StandardCharsets.UTF_8), UUID::randomUUID);

        assertThat(new String(envelope.bytes(), StandardCharsets.UTF_8)).isEqualTo(body);
        assertThat(envelope.messageId()).isNull();
    }

    @Test
    void a_missing_message_id_is_put_in_front_of_the_senders_own_members() {
        assertThat(normalised("{\"jsonrpc\":\"2.0\",\"params\":{\"message\":{ \"parts\":[1.10]}}}"))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"params\":{\"message\":{\"messageId\":\"" + MADE
                        + "\", \"parts\":[1.10]}}}");
        assertThat(normalised("{\"jsonrpc\":\"2.0\",\"params\":{\"message\":{ }}}"))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"params\":{\"message\":{\"messageId\":\"" + MADE + "\" }}}");
    }

    @Test
    void a_bare_body_is_wrapped_with_method_and_params_as_they_are_and_strangers_dropped() {
        var envelope = MessageEnvelope.normalise(
                "{\"id\":7,\"method\":\"message\\/send\",\"x\":1,\"params\":{ \"message\":{\"messageId\":\"m\"},\"metadata\":{\"history\":[1e400]}}}"
                        .getBytes(UTF_8),
                () -> MADE);

        assertThat(new String(envelope.bytes(), UTF_8))
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"id\":\"" + MADE
                                + "\",\"method\":\"message\\/send\",\"params\":{ \"message\":{\"messageId\":\"m\"},\"metadata\":{\"history\":[1e400]}}}");
        assertThat(envelope.method()).isEqualTo("message/send");
        assertThat(envelope.messageId()).isEqualTo("m");
    }

    @Test
    void a_bare_body_gets_its_message_id_inside_the_wrapping() {
        assertThat(normalised("{\"method\":\"m\",\"params\":{\"message\":{\"role\":\"user\"}}}"))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":\"" + MADE
                        + "\",\"method\":\"m\",\"params\":{\"message\":{\"messageId\":\"" + MADE
                        + "\",\"role\":\"user\"}}}");
    }

    @Test
    void an_empty_object_becomes_a_request_without_method() {
        var envelope = MessageEnvelope.normalise("{}".getBytes(UTF_8), () -> MADE);

        assertThat(new String(envelope.bytes(), UTF_8))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":\"" + MADE + "\",\"method\":null,\"params\":null}");
        assertThat(envelope.method()).isEmpty();
        assertThat(envelope.messageId()).isNull();
    }

    @Test
    void of_repeated_params_the_last_gets_the_message_id() {
        assertThat(
                        normalised(
                                "{\"jsonrpc\":\"2.0\",\"params\":{\"message\":{\"messageId\":\"a\"}},\"params\":{\"message\":{\"b\":1}}}"))
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"params\":{\"message\":{\"messageId\":\"a\"}},\"params\":{\"message\":{\"messageId\":\""
                                + MADE + "\",\"b\":1}}}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "[]", "null", "\"x\"", "{", "{\"a\":}", "{\"a\":01}", "{} x", "{}{}", "<html>"})
    void anything_but_one_object_is_invalid(String body) {
        assertThatThrownBy(() -> normalised(body)).isInstanceOf(ApiError.class).hasMessage("invalid JSON");
    }

    private static String normalised(String body) {
        return new String(
                MessageEnvelope.normalise(body.getBytes(UTF_8), () -> MADE).bytes(), UTF_8);
    }
}
