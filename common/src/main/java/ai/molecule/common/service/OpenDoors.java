package ai.molecule.common.service;

import ai.molecule.common.config.Door;
import ai.molecule.common.config.Environment;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.reconcilers.Reconcilers;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in production which compatibility doors stand open: in the log at start, and on {@code /admin/liveness} all the time. */
final class OpenDoors {

    private static final Logger LOGGER = LoggerFactory.getLogger(OpenDoors.class);

    private OpenDoors() {}

    static void tell(PlatformConfig config, Reconcilers reconcilers) {
        if (config.environment() != Environment.PRODUCTION || config.openDoors().isEmpty()) {
            return;
        }
        for (var door : config.openDoors()) {
            LOGGER.atWarn()
                    .addKeyValue("variable", door.variable())
                    .log("a compatibility door stands open in production");
        }
        String variables =
                config.openDoors().stream().sorted().map(Door::variable).collect(Collectors.joining(", "));
        reconcilers.tell(
                "open-doors", variables, "stand open for existing clients; docs/operations.md says what each lets in");
    }
}
