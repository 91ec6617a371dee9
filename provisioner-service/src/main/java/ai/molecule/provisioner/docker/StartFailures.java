package ai.molecule.provisioner.docker;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.docker.Engine.EngineAway;
import ai.molecule.provisioner.docker.EngineAnswer.Refused;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a start that did not succeed means: whether trying again may help, and the sentence for people when it would not. */
final class StartFailures {

    private static final Logger LOGGER = LoggerFactory.getLogger(StartFailures.class);

    private StartFailures() {}

    /**
     * An engine that cannot be asked fails a first start, because somebody waits for it; a later one is tried again, because the
     * engine may be back in a minute.
     */
    static Throwable reasonOf(Launch launch, Throwable failure) {
        var log = LOGGER.atWarn()
                .addKeyValue("workspaceId", launch.workspace().id())
                .addKeyValue("reason", failure.toString());
        log.log("agent's container could not be started");
        return switch (failure) {
            case StartRefused refused -> refused;
            case EngineAway away
            when launch.workspace().incarnation() <= 1 ->
                new StartRefused(
                        "workspace start failed: the Docker engine does not answer", String.valueOf(away.getMessage()));
            case Refused portTaken when isPortTaken(portTaken) -> portTaken; // the next try chooses another
            case Refused absent
            when launch.workspace().worksInLentFolder() && isAbsent(absent) ->
                new StartRefused("workspace_dir %s is no folder on the engine's machine"
                        .formatted(launch.workspace().workspaceDir()));
            case Refused refused ->
                new StartRefused(
                        "workspace start failed: the Docker engine refused its container",
                        String.valueOf(refused.getMessage()));
            case ApiError error -> new StartRefused("workspace start failed: " + error.publicMessage());
            default -> failure;
        };
    }

    private static boolean isAbsent(Refused refused) {
        return String.valueOf(refused.getMessage()).contains("bind source path does not exist");
    }

    private static boolean isPortTaken(Refused refused) {
        String message = String.valueOf(refused.getMessage());
        return message.contains("already allocated") || message.contains("already in use");
    }
}
