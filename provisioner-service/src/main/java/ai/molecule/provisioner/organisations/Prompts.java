package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.ByteOrderMark;
import ai.molecule.provisioner.backend.FilePath;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What agents are told at first and when they idle. Reads the disk and blocks. */
record Prompts(OrgFolder folder, AgentSettings defaults, ReadBytes read) {

    /** Null for none. */
    @Nullable
    String initial(AgentSettings own, FilePath filesDir) {
        return choose(
                filesDir,
                own.initialPrompt(),
                own.initialPromptFile(),
                defaults.initialPrompt(),
                defaults.initialPromptFile());
    }

    /** Null for none. */
    @Nullable
    String idle(AgentSettings own, FilePath filesDir) {
        return choose(
                filesDir, own.idlePrompt(), own.idlePromptFile(), defaults.idlePrompt(), defaults.idlePromptFile());
    }

    /** Its own text, its own file, the default text, the default file. */
    private @Nullable String choose(
            FilePath filesDir,
            @Nullable String own,
            @Nullable String ownFile,
            @Nullable String byDefault,
            @Nullable String defaultFile) {
        if (own != null) {
            return own;
        }
        if (ownFile != null) {
            return file(filesDir, ownFile);
        }
        if (byDefault != null) {
            return byDefault;
        }
        return defaultFile == null ? null : file(FilePath.ROOT, defaultFile);
    }

    /** Below the workspace's own folder, else below the organisation's. */
    @Nullable
    String file(FilePath filesDir, String name) {
        var path = FilePath.of(name);
        var content = folder.read(filesDir.resolve(path)).or(() -> folder.read(path));
        String text = content.map(
                        bytes -> ByteOrderMark.strip(read.counted(bytes).toString(StandardCharsets.UTF_8)))
                .orElseThrow(() -> ApiError.invalid("there is no file " + name));
        return text.isBlank() ? null : text;
    }
}
