package ai.molecule.proxy.push;

import io.vertx.core.Future;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Where tasks are looked at. */
@FunctionalInterface
public interface TaskSource {

    /**
     * The task as JSON of 0.3; fails with NOT_FOUND where its agent knows none, and otherwise where it cannot be asked.
     *
     * @param caller on whose behalf; null for a person
     */
    Future<String> task(UUID workspace, @Nullable UUID caller, String taskId);
}
