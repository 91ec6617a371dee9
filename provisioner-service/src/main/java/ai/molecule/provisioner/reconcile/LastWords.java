package ai.molecule.provisioner.reconcile;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.Backend;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How an agent ended and what it printed last, for the events that tell of it: without its secrets, for an event is read by
 * whoever watches the canvas.
 *
 * @param exit in words
 * @param log at most 20 lines and 4 KiB; empty when there are none, or the engine cannot say
 */
record LastWords(String exit, String log) {

    /** Nothing is quoted of an agent whose secrets cannot be decrypted or read. Fails when the registry does not answer. */
    static LastWords of(ManagedWorkspace workspace, String exit, Backend backend, RegistryCalls registry) {
        var secrets = registry.secretsToMask(workspace);
        var mask = new SecretMask(secrets.orElseGet(List::of));
        String log = secrets.isPresent()
                ? backend.logTail(workspace.id()).otherwise("").await()
                : "";
        return new LastWords(mask.over(exit), mask.over(log));
    }

    /** The payload with {@code log_tail} where there is something to quote. */
    Map<String, Object> addedTo(Map<String, Object> payload) {
        Map<String, Object> whole = new LinkedHashMap<>(payload);
        if (!log.isBlank()) {
            whole.put("log_tail", log);
        }
        return whole;
    }
}
