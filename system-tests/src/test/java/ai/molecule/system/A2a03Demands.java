package ai.molecule.system;

import static ai.molecule.system.A2aCaller.id;
import static ai.molecule.system.A2aCaller.object;
import static ai.molecule.system.A2aChecks.ENDS;
import static ai.molecule.system.A2aChecks.LONG;
import static ai.molecule.system.A2aChecks.begun;
import static ai.molecule.system.A2aChecks.card;
import static ai.molecule.system.A2aChecks.in03;
import static ai.molecule.system.A2aChecks.message03;
import static ai.molecule.system.A2aChecks.rpc03;
import static ai.molecule.system.A2aChecks.task;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** The most important of what A2A 0.3 demands. */
final class A2a03Demands {

    static final List<A2aDemand> ALL = List.of(
            new A2aDemand(
                    "0.3 §5.5, §5.6", "the card of 0.3 has what that demands, and what it prefers answers", agent -> {
                        for (String path : List.of("/.well-known/agent-card.json", "/.well-known/agent.json")) {
                            JsonNode card =
                                    agent.get(path, "A2A-Version", "0.3").body();
                            assertThat(card.fieldNames())
                                    .toIterable()
                                    .contains(
                                            "protocolVersion",
                                            "name",
                                            "description",
                                            "url",
                                            "version",
                                            "capabilities",
                                            "defaultInputModes",
                                            "defaultOutputModes",
                                            "skills",
                                            "preferredTransport");
                            assertThat(card.path("protocolVersion").asText()).startsWith("0.3");
                            assertThat(card.path("preferredTransport").asText()).isEqualTo("JSONRPC");
                            var there =
                                    new A2aCaller(agent.root, card.path("url").asText());
                            assertThat(there.rpc("message/send", message03("say hi"), "A2A-Version", "")
                                            .status())
                                    .isEqualTo(200);
                        }
                    }),
            new A2aDemand(
                    "0.3 §7.1, §7.3, §7.4",
                    "a message makes a task, which is got, told of and canceled by the rules",
                    agent -> {
                        JsonNode task =
                                in03(agent, "message/send", message03("say hi")).path("result");
                        assertThat(task.path("kind").asText()).isEqualTo("task");
                        assertThat(task.at("/status/state").asText()).isEqualTo("completed");
                        assertThat(task.at("/artifacts/0/parts/0/kind").asText())
                                .isEqualTo("text");
                        String over = task.path("id").asText();
                        assertThat(in03(agent, "tasks/get", id(over))
                                        .at("/result/id")
                                        .asText())
                                .isEqualTo(over);
                        assertThat(in03(agent, "tasks/get", id(over).put("historyLength", 1))
                                        .at("/result/history"))
                                .hasSize(1);
                        assertThat(in03(agent, "tasks/get", id("no-such-task"))
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32001);
                        assertThat(in03(agent, "tasks/get", object())
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32602);
                        assertThat(in03(agent, "tasks/cancel", id(over))
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32002);
                        assertThat(in03(agent, "tasks/cancel", id("no-such-task"))
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32001);
                        String runs = begun(agent, LONG);
                        assertThat(in03(agent, "tasks/cancel", id(runs))
                                        .at("/result/status/state")
                                        .asText())
                                .isEqualTo("canceled");
                        assertThat(in03(agent, "agent/getAuthenticatedExtendedCard", object())
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32007);
                        assertThat(in03(agent, "no/such", object())
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32601);
                        assertThat(in03(agent, "message/send", object())
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32602);
                    }),
            new A2aDemand(
                    "0.3 §7.2, §7.9",
                    "events have their kind, the last says so, and whoever comes back follows",
                    agent -> {
                        try (var stream = agent.stream(
                                "POST", "", rpc03("message/stream", message03("say a\nsay b")), "A2A-Version", "0.3")) {
                            assertThat(stream.type).startsWith("text/event-stream");
                            var events = stream.rest();
                            assertThat(events.getFirst().at("/result/kind").asText())
                                    .isEqualTo("task");
                            assertThat(events.stream()
                                            .map(event ->
                                                    event.at("/result/kind").asText()))
                                    .containsOnly("task", "status-update", "artifact-update");
                            assertThat(events.getLast().at("/result/final").asBoolean())
                                    .isTrue();
                        }
                        String asks = task(agent, ENDS.get("INPUT_REQUIRED"), "INPUT_REQUIRED");
                        try (var stream =
                                agent.stream("POST", "", rpc03("tasks/resubscribe", id(asks)), "A2A-Version", "0.3")) {
                            assertThat(stream.status).isEqualTo(200);
                        }
                        JsonNode push = in03(agent, "tasks/pushNotificationConfig/get", id(asks));
                        int code = card(agent)
                                        .at("/capabilities/pushNotifications")
                                        .asBoolean()
                                ? -32001
                                : -32003;
                        assertThat(push.at("/error/code").asInt()).isEqualTo(code);
                    }));

    private A2a03Demands() {}
}
