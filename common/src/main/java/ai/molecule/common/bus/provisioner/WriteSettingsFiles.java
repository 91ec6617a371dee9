package ai.molecule.common.bus.provisioner;

import ai.molecule.common.bus.Contract;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/**
 * Writes files of an agent's {@code /configs}, all or none of them. Called by the registry when an earlier version of the settings is gone
 * back to. Repeated it changes nothing. Fails with UNAVAILABLE for an agent that the platform does not run, INSUFFICIENT_STORAGE over its quota.
 *
 * @param contents text by path; at most 256 KiB
 */
public record WriteSettingsFiles(UUID workspaceId, Map<String, String> contents) {

    public static final Contract<WriteSettingsFiles, Written> CONTRACT = new Contract<>(
            "provisioner.write-settings-files", WriteSettingsFiles.class, Written.class, Duration.ofSeconds(30));

    public record Written(int files) {}
}
