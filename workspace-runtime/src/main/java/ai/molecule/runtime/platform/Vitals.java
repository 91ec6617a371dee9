package ai.molecule.runtime.platform;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.Capabilities;
import ai.molecule.runtime.tasks.WorkMeter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What heartbeats tell.
 *
 * @param wedged asked before each: why nothing is answered any more; empty when the agent works
 * @param metadata what the agent takes over from the platform
 */
public record Vitals(WorkMeter meter, Supplier<Optional<String>> wedged, JsonNode metadata) {

    public static Vitals of(WorkMeter meter, AgentExecutor executor) {
        return new Vitals(meter, executor::wedged, json(executor.capabilities()));
    }

    private static JsonNode json(Capabilities capabilities) {
        ObjectNode metadata = JsonNodeFactory.instance.objectNode();
        metadata.putObject("capabilities")
                .put("heartbeat", capabilities.heartbeat())
                .put("scheduler", capabilities.scheduler())
                .put("session", capabilities.session())
                .put("status_mgmt", capabilities.statusManagement())
                .put("retry", capabilities.retry())
                .put("activity_decoration", capabilities.activityDecoration())
                .put("channel_dispatch", capabilities.channelDispatch());
        return metadata;
    }
}
