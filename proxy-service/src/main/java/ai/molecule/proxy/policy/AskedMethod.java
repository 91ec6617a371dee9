package ai.molecule.proxy.policy;

import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import java.util.Map;

/** What is asked of an agent as A2A 0.3 calls it, whichever version asks, so that a rule needs one name for it. */
final class AskedMethod {

    private static final String TASK = "tasks/get";

    /** Of 1.0, those that 0.3 has under another name. */
    private static final Map<String, String> IN_03 = Map.ofEntries(
            Map.entry("SendMessage", "message/send"),
            Map.entry("SendStreamingMessage", "message/stream"),
            Map.entry("message/sendSubscribe", "message/stream"),
            Map.entry("GetTask", TASK),
            Map.entry("ListTasks", "tasks/list"),
            Map.entry("CancelTask", "tasks/cancel"),
            Map.entry("SubscribeToTask", "tasks/resubscribe"),
            Map.entry("CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set"),
            Map.entry("GetTaskPushNotificationConfig", "tasks/pushNotificationConfig/get"),
            Map.entry("ListTaskPushNotificationConfigs", "tasks/pushNotificationConfig/list"),
            Map.entry("DeleteTaskPushNotificationConfig", "tasks/pushNotificationConfig/delete"),
            Map.entry("GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard"));

    private static final Shape METHOD = Shape.of("method");

    private AskedMethod() {}

    /** Empty where none is named; a request without a body asks for a task. */
    static String of(byte[] body) {
        if (body.length == 0) {
            return TASK;
        }
        String named = JsonScanner.startsAsObject(body)
                ? JsonScanner.scan(body, METHOD)
                        .map(found -> found.at(0))
                        .filter(method -> method.startsWith(body, '"'))
                        .map(method -> method.stringIn(body))
                        .orElse("")
                : "";
        String told = IN_03.getOrDefault(named, named);
        return told.length() <= JudgeCall.NAME_MAX_CHARS ? told : told.substring(0, JudgeCall.NAME_MAX_CHARS);
    }
}
