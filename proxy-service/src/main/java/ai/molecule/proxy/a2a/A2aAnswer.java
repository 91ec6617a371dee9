package ai.molecule.proxy.a2a;

import io.vertx.core.buffer.Buffer;

/** What the sender gets when there is no {@link ai.molecule.common.ApiError}. */
sealed interface A2aAnswer {

    /** JSON, with the agent's own status. */
    record Whole(int status, Buffer body) implements A2aAnswer {}

    /** Events as they come; whoever gets this reads or drains it. */
    record Stream(int status, AgentStream events) implements A2aAnswer {}
}
