package ai.molecule.runtime;

import ai.molecule.runtime.adapter.AdapterTrial;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Tries the adapter of a folder's agent, which is started as a workspace would be, without a platform. */
public final class AdapterCheck {

    private AdapterCheck() {}

    /**
     * @param work what the agent works on meanwhile
     * @param adapterOf which adapter the platform would run a runtime by
     * @throws PreflightFailure when it cannot start
     */
    public static List<AdapterTrial.Finding> of(
            Path folder, Path work, Map<String, String> environment, UnaryOperator<String> adapterOf) {
        return AdapterTrial.of(
                LocalAgent.start(folder, work, environment, adapterOf).executor());
    }
}
