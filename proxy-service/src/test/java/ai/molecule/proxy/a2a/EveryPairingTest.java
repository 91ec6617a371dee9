package ai.molecule.proxy.a2a;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import ai.molecule.testkit.Documents;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Every operation of A2A, by a caller of either version, at an agent of either: what is said on both sides is {@code
 * docs/wire/a2a-exchanges.md}, word for word. {@code -Dmolecule.write.docs=true} writes that page anew.
 */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EveryPairingTest {

    private static final Path PAGE = Documents.WIRE_A2A_EXCHANGES;
    private static final String HEAD = """
            # A2A, exchange by exchange

            What a caller of A2A 0.3 or 1.0 says to an agent of either through the proxy, and what both read: `→` goes to the platform, `⇒` from it to the agent, `⇐` is what the agent says, `←` what the caller reads. No `⇒`: the platform
            answers by itself. Ids of streams are `e`, times and ids that are made are `…`. `EveryPairingTest` plays all of it and compares this page; with `-Dmolecule.write.docs=true` it writes it. What is told how: [proxy.md](proxy.md#versions-of-the-protocol).
            """;

    /** What each version calls an operation, and how it says it; empty where it has no such thing. */
    private record Operation(String name, String in03, String in10, boolean streams) {}

    private static final String MESSAGE_03 =
            "{\"message\":{\"kind\":\"message\",\"messageId\":\"m-1\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"},"
                    + "{\"kind\":\"data\",\"data\":{\"n\":1.10}},{\"kind\":\"file\",\"file\":{\"uri\":\"http://x/y\",\"name\":\"y\",\"mimeType\":\"text/plain\"}}]}}";
    private static final String MESSAGE_10 =
            "{\"message\":{\"messageId\":\"m-1\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"hi\"},{\"data\":{\"n\":1.10}},"
                    + "{\"url\":\"http://x/y\",\"filename\":\"y\",\"mediaType\":\"text/plain\"}]}}";

    private static final List<Operation> OPERATIONS = List.of(
            new Operation("send", "message/send " + MESSAGE_03, "SendMessage " + MESSAGE_10, false),
            new Operation(
                    "send, not waiting",
                    "message/send " + MESSAGE_03.replaceFirst("}$", ",\"configuration\":{\"blocking\":false}}"),
                    "SendMessage " + MESSAGE_10.replaceFirst("}$", ",\"configuration\":{\"returnImmediately\":true}}"),
                    false),
            new Operation(
                    "send, wrong part",
                    "message/send " + MESSAGE_03.replace("\"kind\":\"data\"", "\"kind\":\"video\""),
                    "SendMessage " + MESSAGE_10.replace("\"text\":\"hi\"", "\"text\":\"hi\",\"url\":\"u\""),
                    false),
            new Operation("stream", "message/stream " + MESSAGE_03, "SendStreamingMessage " + MESSAGE_10, true),
            new Operation(
                    "come back to the stream",
                    "message/stream " + MESSAGE_03,
                    "SendStreamingMessage " + MESSAGE_10,
                    true),
            new Operation(
                    "get",
                    "tasks/get {\"id\":\"t-1\",\"historyLength\":2}",
                    "GetTask {\"id\":\"t-1\",\"historyLength\":2}",
                    false),
            new Operation("get, not there", "tasks/get {\"id\":\"nowhere\"}", "GetTask {\"id\":\"nowhere\"}", false),
            new Operation("cancel", "tasks/cancel {\"id\":\"t-1\"}", "CancelTask {\"id\":\"t-1\"}", false),
            new Operation("cancel, over", "tasks/cancel {\"id\":\"over\"}", "CancelTask {\"id\":\"over\"}", false),
            new Operation("follow", "tasks/resubscribe {\"id\":\"t-7\"}", "SubscribeToTask {\"id\":\"t-7\"}", true),
            new Operation(
                    "follow, not there",
                    "tasks/resubscribe {\"id\":\"nowhere\"}",
                    "SubscribeToTask {\"id\":\"nowhere\"}",
                    true),
            new Operation("list", "", "ListTasks {\"contextId\":\"c-1\"}", false),
            new Operation(
                    "set a receiver",
                    "tasks/pushNotificationConfig/set {\"taskId\":\"t-1\",\"pushNotificationConfig\":{\"id\":\"r\",\"url\":\"http://127.0.0.1:9/hook\",\"token\":\"s\"}}",
                    "CreateTaskPushNotificationConfig {\"taskId\":\"t-1\",\"id\":\"r\",\"url\":\"http://127.0.0.1:9/hook\",\"token\":\"s\"}",
                    false),
            new Operation(
                    "get a receiver",
                    "tasks/pushNotificationConfig/get {\"id\":\"t-1\",\"pushNotificationConfigId\":\"r\"}",
                    "GetTaskPushNotificationConfig {\"taskId\":\"t-1\",\"id\":\"r\"}",
                    false),
            new Operation(
                    "list receivers",
                    "tasks/pushNotificationConfig/list {\"id\":\"t-1\"}",
                    "ListTaskPushNotificationConfigs {\"taskId\":\"t-1\"}",
                    false),
            new Operation(
                    "delete a receiver",
                    "tasks/pushNotificationConfig/delete {\"id\":\"t-1\",\"pushNotificationConfigId\":\"r\"}",
                    "DeleteTaskPushNotificationConfig {\"taskId\":\"t-1\",\"id\":\"r\"}",
                    false),
            new Operation("extended card", "agent/getAuthenticatedExtendedCard {}", "GetExtendedAgentCard {}", false));

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    private final List<String> said = new CopyOnWriteArrayList<>();

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        proxy = ProxyUnderTest.start(
                vertx,
                config -> with(config, "journal", with(config.journal(), Map.of("tick", Duration.ofMillis(200)))),
                "MOLECULE_ENV",
                "development");
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @Test
    void what_each_says_to_each_is_what_the_page_says() throws IOException {
        var page = new StringBuilder(HEAD);
        for (String caller : List.of("0.3", "1.0")) {
            for (String agent : List.of("0.3", "1.0")) {
                page.append("\n## A caller of ")
                        .append(caller)
                        .append(" and an agent of ")
                        .append(agent)
                        .append('\n');
                pairing(caller, agent.equals("1.0"), page);
            }
        }

        if (Boolean.getBoolean("molecule.write.docs")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page.toString());
    }

    private void pairing(String caller, boolean agentIn10, StringBuilder page) {
        var agent = agent(agentIn10);
        String position = "";
        for (Operation operation : OPERATIONS) {
            String words = caller.equals("1.0") ? operation.in10 : operation.in03;
            if (words.isEmpty()) {
                continue;
            }
            said.clear();
            String[] request = words.split(" ", 2);
            String body =
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"" + request[0] + "\",\"params\":" + request[1] + "}";
            List<String> headers = new ArrayList<>(List.of("A2A-Version", caller));
            if (operation.name.startsWith("come back")) {
                headers.addAll(List.of("Last-Event-ID", position));
            }
            String read = read(agent, operation, body, headers);
            if (operation.name.equals("stream")) {
                position = read.lines()
                        .filter(line -> line.startsWith("id: "))
                        .findFirst()
                        .orElseThrow()
                        .substring(4);
            }
            page.append("\n### ")
                    .append(operation.name)
                    .append("\n\n```\n→ ")
                    .append(body)
                    .append('\n');
            said.forEach(line -> page.append(plain(line)).append('\n'));
            page.append(plain(told(read))).append("```\n");
        }
    }

    private String read(UUID agent, Operation operation, String body, List<String> headers) {
        String[] all = headers.toArray(String[]::new);
        if (operation.name.equals("list")) { // what was seen is written down a moment later
            await().until(() -> {
                said.clear();
                return proxy.send(agent, body, all).bodyAsString().contains("\"t-1\"");
            });
            said.clear();
        }
        return operation.streams
                ? Reading.of(vertx, HttpMethod.POST, proxy.port, "/workspaces/" + agent + "/a2a", body, all)
                        .end
                        .join()
                : proxy.send(agent, body, all).bodyAsString();
    }

    /** An event a line. */
    private static String told(String read) {
        if (!read.startsWith("{")) {
            return String.join(
                    "",
                    read.replace("\ndata: ", " ")
                            .lines()
                            .filter(line -> !line.isBlank())
                            .map(line -> "← " + line + "\n")
                            .toList());
        }
        return "← " + read + "\n";
    }

    /** What is made anew each time. */
    private static String plain(String line) {
        return line.replaceAll("id: [0-9a-f]+\\.(\\d+-\\d+) ", "id: e.$1 ")
                .replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "…")
                .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "…");
    }

    private UUID agent(boolean in10) {
        String card = in10
                ? "{\"supportedInterfaces\":[{\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\"}]}"
                : "{\"protocolVersion\":\"0.3.0\"}";
        var agent = proxy.agent(request -> {
            if (request.method().equals(HttpMethod.GET)) {
                json(request.response(), card);
            } else {
                request.body().onSuccess(body -> answer(request, Json.stored(body.toString()), in10));
            }
        });
        if (in10) {
            proxy.platform.offersOnly10(agent);
        }
        return agent;
    }

    private void answer(HttpServerRequest request, JsonNode asked, boolean in10) {
        hear(asked, "⇒ " + asked);
        String method = asked.path("method").asText();
        String envelope = "{\"jsonrpc\":\"2.0\",\"id\":" + asked.path("id") + ",";
        String id = asked.path("params").path("id").asText();
        String info = in10
                ? ",\"data\":[{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"REASON\",\"domain\":\"a2a-protocol.org\"}]"
                : "";
        if (id.equals("nowhere")) {
            say(request, envelope + error(-32001, "Task not found", info.replace("REASON", "TASK_NOT_FOUND")));
        } else if (id.equals("over")) {
            say(
                    request,
                    envelope + error(-32002, "Task cannot be canceled", info.replace("REASON", "TASK_NOT_CANCELABLE")));
        } else {
            switch (method) {
                case "message/stream", "SendStreamingMessage" -> stream(request, envelope, in10, "t-1");
                case "tasks/resubscribe", "SubscribeToTask" -> stream(request, envelope, in10, id);
                case "message/send" -> say(request, envelope + "\"result\":" + task(false, "completed") + "}");
                case "SendMessage" ->
                    say(request, envelope + "\"result\":{\"task\":" + task(true, "TASK_STATE_COMPLETED") + "}}");
                case "tasks/get" -> say(request, envelope + "\"result\":" + task(false, "completed") + "}");
                case "GetTask" -> say(request, envelope + "\"result\":" + task(true, "TASK_STATE_COMPLETED") + "}");
                case "tasks/cancel" -> say(request, envelope + "\"result\":" + task(false, "canceled") + "}");
                case "CancelTask" -> say(request, envelope + "\"result\":" + task(true, "TASK_STATE_CANCELED") + "}");
                case "ListTasks" ->
                    say(
                            request,
                            envelope + "\"result\":{\"tasks\":[" + task(true, "TASK_STATE_COMPLETED")
                                    + "],\"nextPageToken\":\"\",\"pageSize\":50,\"totalSize\":1}}");
                case "agent/getAuthenticatedExtendedCard" ->
                    say(request, envelope + error(-32007, "no extended card", ""));
                case "GetExtendedAgentCard" ->
                    say(
                            request,
                            envelope
                                    + error(
                                            -32004,
                                            "no extended card",
                                            info.replace("REASON", "UNSUPPORTED_OPERATION")));
                default -> say(request, envelope + error(-32601, "Method not found", ""));
            }
        }
    }

    private void say(HttpServerRequest request, String answer) {
        hear(asked(answer), "⇐ " + answer);
        json(request.response(), answer);
    }

    /** What the platform asks by itself, such as whether a task is there, is no exchange of its caller's. */
    private void hear(JsonNode about, String line) {
        if (about.path("id").asInt() == 7) {
            said.add(line);
        }
    }

    private static JsonNode asked(String answer) {
        return Json.stored(answer);
    }

    private static String error(int code, String message, String data) {
        return "\"error\":{\"code\":" + code + ",\"message\":\"" + message + "\"" + data + "}}";
    }

    private static String task(boolean in10, String state) {
        String parts = in10 ? "[{\"text\":\"one\"}]" : "[{\"kind\":\"text\",\"text\":\"one\"}]";
        return "{" + (in10 ? "" : "\"kind\":\"task\",")
                + "\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\""
                + state + "\",\"timestamp\":\"" + Instant.now() + "\"},\"artifacts\":[{\"artifactId\":\"x\",\"parts\":"
                + parts + "}]}";
    }

    private void stream(HttpServerRequest request, String envelope, boolean in10, String id) {
        String of = "\"taskId\":\"" + id + "\",\"contextId\":\"c-1\",";
        List<String> events = in10
                ? List.of(
                        "{\"task\":{\"id\":\"" + id
                                + "\",\"contextId\":\"c-1\",\"status\":{\"state\":\"TASK_STATE_SUBMITTED\"}}}",
                        "{\"artifactUpdate\":{" + of
                                + "\"artifact\":{\"artifactId\":\"x\",\"parts\":[{\"text\":\"one\"}]},\"lastChunk\":true}}",
                        "{\"statusUpdate\":{" + of + "\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}")
                : List.of(
                        "{\"kind\":\"status-update\"," + of + "\"status\":{\"state\":\"working\"},\"final\":false}",
                        "{\"kind\":\"artifact-update\"," + of
                                + "\"artifact\":{\"artifactId\":\"x\",\"parts\":[{\"kind\":\"text\",\"text\":\"one\"}]},\"lastChunk\":true}",
                        "{\"kind\":\"status-update\"," + of + "\"status\":{\"state\":\"completed\"},\"final\":true}");
        var response = request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
        for (String event : events) {
            hear(asked(envelope + "\"x\":1}"), "⇐ data: " + envelope + "\"result\":" + event + "}");
            response.write("data: " + envelope + "\"result\":" + event + "}\n\n");
        }
        response.end();
    }
}
