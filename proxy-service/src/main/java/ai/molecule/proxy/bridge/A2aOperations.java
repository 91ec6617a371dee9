package ai.molecule.proxy.bridge;

import ai.molecule.proxy.protocol.Protocol;
import java.util.Map;
import java.util.Optional;

/** What an operation is called in 1.0, whichever version it was asked for in. */
public final class A2aOperations {

    private static final Map<String, String> NOT_CARRIED = Map.of(
            "tasks/pushNotificationConfig/set", "CreateTaskPushNotificationConfig",
            "tasks/pushNotificationConfig/get", "GetTaskPushNotificationConfig",
            "tasks/pushNotificationConfig/list", "ListTaskPushNotificationConfigs",
            "tasks/pushNotificationConfig/delete", "DeleteTaskPushNotificationConfig",
            "agent/getAuthenticatedExtendedCard", "GetExtendedAgentCard");

    private A2aOperations() {}

    /** Empty for what is none of the protocol's. */
    public static Optional<String> nameOf(String method) {
        return Protocol.V1_0.owns(method)
                ? Optional.of(method)
                : CarriedMethod.of(method, Protocol.V0_3)
                        .filter(carried -> carried != CarriedMethod.BY_MESSAGE)
                        .map(carried -> carried.in(Protocol.V1_0))
                        .or(() -> Optional.ofNullable(NOT_CARRIED.get(method)));
    }
}
