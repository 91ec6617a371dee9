package ai.molecule.proxy.a2a;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.tracing.RpcFact;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.proxy.a2a.admission.A2aRequest;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The span of a request says which operation of A2A it is, as 1.0 calls it, and about what. */
class NamingA2aInSpansTest {

    private static final class Said implements Tracing.Span {

        final Map<RpcFact, String> facts = new EnumMap<>(RpcFact.class);

        @Override
        public void isCalled(String name, String route) {}

        @Override
        public void says(RpcFact fact, String value) {
            if (!value.isEmpty()) {
                facts.put(fact, value);
            }
        }

        @Override
        public String traceId() {
            return "";
        }

        @Override
        public String traceparent() {
            return "";
        }
    }

    @Test
    void a_message_says_its_id_its_task_and_its_conversation() {
        assertThat(
                        said(
                                "",
                                "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m\",\"taskId\":\"t\",\"contextId\":\"c\",\"parts\":[{\"text\":\"secret\"}]}}}"))
                .isEqualTo(Map.of(
                        RpcFact.A2A_METHOD, "SendMessage",
                        RpcFact.A2A_VERSION, "0.3",
                        RpcFact.A2A_MESSAGE, "m",
                        RpcFact.A2A_TASK, "t",
                        RpcFact.CONVERSATION, "c"));
    }

    @ParameterizedTest
    @CsvSource({
        "tasks/get, GetTask, 0.3",
        "tasks/resubscribe, SubscribeToTask, 0.3",
        "CancelTask, CancelTask, 1.0",
    })
    void a_question_about_a_task_says_which(String method, String operation, String version) {
        assertThat(said("", "{\"method\":\"" + method + "\",\"params\":{\"id\":\"t\"}}"))
                .isEqualTo(Map.of(RpcFact.A2A_METHOD, operation, RpcFact.A2A_VERSION, version, RpcFact.A2A_TASK, "t"));
    }

    @Test
    void a_receivers_id_is_no_task() {
        assertThat(said(
                        "1.0",
                        "{\"method\":\"GetTaskPushNotificationConfig\",\"params\":{\"id\":\"r\",\"taskId\":\"t\"}}"))
                .containsEntry(RpcFact.A2A_TASK, "t");
    }

    @Test
    void what_is_no_a2a_says_nothing() {
        assertThat(said("", "{\"method\":\"notes/check\",\"params\":{\"id\":\"t\"}}"))
                .isEmpty();
        assertThat(said("", "[]")).isEmpty();
    }

    @Test
    void a_workspaces_passport_is_named_and_neither_a_persons_nor_one_that_is_none() {
        String id = "3f2c8c4e-8a52-4b43-9b7e-0d7c1f0e5a11";
        String claims = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(("{\"sub\":\"person:kim\",\"jti\":\"" + id + "\"}").getBytes(StandardCharsets.UTF_8));

        assertThat(under("a-workspace", "h." + claims + ".s")).isEqualTo(Map.of(RpcFact.PASSPORT, id));
        assertThat(under(null, "h." + claims + ".s")).isEmpty();
        assertThat(under("t", "h." + claims + ".s")).as("to itself").isEmpty();
        assertThat(under("a-workspace", "nothing")).isEmpty();
    }

    private static Map<RpcFact, String> under(@Nullable String caller, String passport) {
        var span = new Said();
        A2aSpan.under(
                span,
                new A2aRequest(
                        "t",
                        caller,
                        null,
                        null,
                        null,
                        null,
                        Map.of("X-Molecule-Passport", passport),
                        new byte[0],
                        Future.succeededFuture(),
                        () -> {}));
        return span.facts;
    }

    private static Map<RpcFact, String> said(String version, String body) {
        var span = new Said();
        Map<String, String> headers = version.isEmpty() ? Map.of() : Map.of("A2A-Version", version);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        A2aSpan.tell(
                span,
                new A2aRequest("t", null, null, null, null, null, headers, bytes, Future.succeededFuture(), () -> {}));
        return span.facts;
    }
}
