package ai.molecule.registry.hibernation;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * After how many minutes without work an agent sleeps.
 *
 * @param own what is said of the workspace itself; null: as above it
 * @param counts what holds for it; 0: never
 */
record IdlePolicy(@Nullable Integer own, int counts) {

    static final String FIELD = "hibernation_idle_minutes";

    /** A year. */
    static final int MINUTES_MAX = 525_600;

    ObjectNode toJson() {
        return Json.object().put(FIELD, own).put("effective_idle_minutes", counts);
    }
}
