package ai.molecule.system;

import static ai.molecule.system.A2aCaller.id;
import static ai.molecule.system.A2aCaller.json;
import static ai.molecule.system.A2aCaller.message;
import static ai.molecule.system.A2aCaller.object;
import static ai.molecule.system.A2aChecks.ENDS;
import static ai.molecule.system.A2aChecks.card;
import static ai.molecule.system.A2aChecks.checkNames;
import static ai.molecule.system.A2aChecks.checkTask;
import static ai.molecule.system.A2aChecks.message03;
import static ai.molecule.system.A2aChecks.refused;
import static ai.molecule.system.A2aChecks.task;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.system.A2aCaller.Answer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.UUID;

/** What A2A 1.0.1 demands of what is written: its types, cards and bindings (from section 4 on, and its proto). */
final class A2aWireDemands {

    static final List<A2aDemand> ALL = List.of(
            new A2aDemand(
                    "1.0 §4.1, §5.5, §5.6",
                    "objects have what they must, in camelCase, with words for enums and times in UTC",
                    agent -> {
                        for (var end : ENDS.entrySet()) {
                            JsonNode body = agent.rpc("SendMessage", message(end.getValue()))
                                    .body();
                            checkTask(body.at("/result/task"));
                            checkNames(body);
                        }
                    }),
            new A2aDemand("1.0 §5.1", "either binding tells the same", agent -> {
                String task = task(agent, "say hi", "COMPLETED");
                String context = agent.rpc("GetTask", id(task))
                        .body()
                        .at("/result/contextId")
                        .asText();
                assertThat(agent.send("GET", "/tasks?contextId=" + context, "").body())
                        .isEqualTo(agent.rpc("ListTasks", object().put("contextId", context))
                                .body()
                                .path("result"));
            }),
            new A2aDemand("1.0 §5.7", "members that nobody knows are passed over (SHOULD)", agent -> {
                ObjectNode params = message("say hi").put("unheardOf", 42);
                params.withObjectProperty("message").put("unheardOf", "of");
                checkTask(agent.rpc("SendMessage", params).body().at("/result/task"));
                checkTask(agent.send(
                                "POST", "/message:send", params.put("more", 1).toString())
                        .body()
                        .path("task"));
            }),
            new A2aDemand(
                    "1.0 §7.6.1",
                    "who needs a sign-in has a task that says what for, and takes messages meanwhile",
                    agent -> {
                        JsonNode task = agent.rpc("SendMessage", message(ENDS.get("AUTH_REQUIRED")))
                                .body()
                                .at("/result/task");
                        assertThat(task.at("/status/message/parts/0/text").asText())
                                .isEqualTo("Sign in at the bank");
                        JsonNode kept = agent.rpc("GetTask", id(task.path("id").asText()))
                                .body()
                                .path("result");
                        assertThat(kept.at("/status/state").asText()).isEqualTo("TASK_STATE_AUTH_REQUIRED");
                        JsonNode after = agent.rpc(
                                        "SendMessage",
                                        message("done", task.path("id").asText()))
                                .body()
                                .at("/result/task");
                        assertThat(after.at("/status/state").asText()).isEqualTo("TASK_STATE_COMPLETED");
                    }),
            new A2aDemand("1.0 §8", "a card is there, has what it must, and each interface in it answers", agent -> {
                JsonNode card = card(agent);
                assertThat(card.fieldNames())
                        .toIterable()
                        .contains(
                                "name",
                                "description",
                                "version",
                                "supportedInterfaces",
                                "capabilities",
                                "defaultInputModes",
                                "defaultOutputModes",
                                "skills");
                assertThat(card.path("skills"))
                        .isNotEmpty()
                        .allSatisfy(skill -> assertThat(skill.fieldNames())
                                .toIterable()
                                .contains("id", "name", "description", "tags"));
                assertThat(card.at("/supportedInterfaces/0/protocolVersion").asText())
                        .isEqualTo("1.0");
                for (JsonNode at : card.path("supportedInterfaces")) {
                    var there = new A2aCaller(agent.root, at.path("url").asText());
                    String version = at.path("protocolVersion").asText();
                    Answer answer = at.path("protocolBinding").asText().equals("HTTP+JSON")
                            ? there.send(
                                    "POST", "/message:send", message("say hi").toString(), "A2A-Version", version)
                            : version.equals("1.0")
                                    ? there.rpc("SendMessage", message("say hi"), "A2A-Version", version)
                                    : there.rpc("message/send", message03("say hi"), "A2A-Version", version);
                    assertThat(answer.status()).as(at.toString()).isEqualTo(200);
                }
            }),
            new A2aDemand(
                    "1.0 §8.6.1",
                    "a card says how long it keeps, and is not sent again to who has it (SHOULD)",
                    agent -> {
                        Answer card = agent.get("/.well-known/agent-card.json");
                        assertThat(card.headers().firstValue("Cache-Control").orElse(""))
                                .contains("max-age=");
                        String tag = card.headers().firstValue("ETag").orElseThrow();
                        assertThat(agent.get("/.well-known/agent-card.json", "If-None-Match", tag)
                                        .status())
                                .isEqualTo(304);
                    }),
            new A2aDemand(
                    "1.0 §9.1, §9.3", "JSON-RPC 2.0 is spoken: its envelope, its types, the request's id", agent -> {
                        Answer answer = agent.rpc("SendMessage", message("say hi"));
                        assertThat(answer.type()).startsWith("application/json");
                        assertThat(answer.body().path("jsonrpc").asText()).isEqualTo("2.0");
                        assertThat(answer.body().path("id").asText()).isEqualTo("r-1");
                        assertThat(answer.body().has("error")).isFalse();
                        JsonNode numbered = agent.send(
                                        "POST",
                                        "",
                                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"GetTask\",\"params\":{\"id\":\"x\"}}")
                                .body();
                        assertThat(numbered.path("id")).isEqualTo(json("7"));
                        try (var stream = agent.rpcStream("SendStreamingMessage", message("say hi"))) {
                            assertThat(stream.rest()).hasSizeGreaterThan(1).allSatisfy(event -> {
                                assertThat(event.path("jsonrpc").asText()).isEqualTo("2.0");
                                assertThat(event.path("id").asText()).isEqualTo("r-1");
                                assertThat(event.path("result")).hasSize(1);
                            });
                        }
                    }),
            new A2aDemand("1.0 §9.5", "each error of JSON-RPC has its number", agent -> {
                assertThat(agent.send("POST", "", "{this is not json").rpcError())
                        .isEqualTo(-32700);
                assertThat(agent.send("POST", "", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"GetTask\"}")
                                .rpcError())
                        .isEqualTo(-32600);
                assertThat(agent.send("POST", "", "{\"jsonrpc\":\"2.0\",\"id\":1}")
                                .rpcError())
                        .isEqualTo(-32600);
                assertThat(agent.send("POST", "", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"GetTask\"}")
                                .rpcError())
                        .isEqualTo(-32600);
                assertThat(agent.rpc("DoSomethingElse", object()).rpcError()).isEqualTo(-32601);
                assertThat(agent.rpc("message/send", message03("say hi")).rpcError())
                        .isEqualTo(-32601);
                assertThat(agent.rpc("SendMessage", json("[1]")).rpcError()).isEqualTo(-32602);
                for (String method : List.of("GetTask", "CancelTask")) {
                    Answer answer = agent.rpc(method, object());
                    refused(answer, -32602, "");
                    assertThat(answer.body().at("/error/data"))
                            .isNotEmpty()
                            .allSatisfy(detail ->
                                    assertThat(detail.path("@type").asText()).startsWith("type.googleapis.com/"));
                }
            }),
            new A2aDemand(
                    "1.0 §11.1, §11.6",
                    "HTTP+JSON answers in its type, and its errors are a google.rpc.Status",
                    agent -> {
                        assertThat(agent.send(
                                                "POST",
                                                "/message:send",
                                                message("say hi").toString())
                                        .type())
                                .startsWith("application/a2a+json");
                        assertThat(agent.send(
                                                "POST",
                                                "/message:send",
                                                message("say hi").toString(),
                                                "Content-Type",
                                                "application/a2a+json")
                                        .status())
                                .isEqualTo(200);
                        JsonNode error = agent.send("GET", "/tasks/no-such-task", "")
                                .body()
                                .path("error");
                        assertThat(error.path("status").asText()).isEqualTo("NOT_FOUND");
                        assertThat(error.path("message").isTextual()).isTrue();
                        assertThat(error.at("/details/0/@type").asText())
                                .isEqualTo("type.googleapis.com/google.rpc.ErrorInfo");
                        assertThat(error.at("/details/0/domain").asText()).isEqualTo("a2a-protocol.org");
                        assertThat(agent.send("POST", "/message:send", "{").status())
                                .isEqualTo(400);
                        assertThat(agent.send("POST", "/message:send", "[]").status())
                                .isEqualTo(400);
                    }),
            new A2aDemand("1.0, a2a.proto", "each path of HTTP+JSON may begin with the tenant", agent -> {
                String tenant = agent.root.substring(agent.root.lastIndexOf('/') + 1);
                if (agent.root.equals(agent.address)) {
                    return; // at its own port an agent is asked by the id of its workspace, which this one's address
                    // does not have
                }
                checkTask(agent.send(
                                "POST",
                                "/" + tenant + "/message:send",
                                message("say hi").toString())
                        .body()
                        .path("task"));
                assertThat(agent.send("GET", "/" + UUID.randomUUID() + "/tasks", "")
                                .status())
                        .isEqualTo(404);
            }));

    private A2aWireDemands() {}
}
