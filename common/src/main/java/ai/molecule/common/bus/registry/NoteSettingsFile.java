package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A file that is one of an agent's settings was written over HTTP. Called by the provisioner after it did; the registry makes a version of
 * it. Repeated it changes nothing.
 *
 * @param path below {@code /configs}
 * @param before what it held; null for no such file
 * @param after what it holds, at most {@value #MAX_CHARS} characters; null when it was deleted
 * @param changedWith the credential that was shown
 */
public record NoteSettingsFile(
        UUID workspaceId,
        String path,
        @Nullable String before,
        @Nullable String after,
        String changedWith) {

    /** Longer files are in no version. */
    public static final int MAX_CHARS = 64 * 1024;

    public static final Contract<NoteSettingsFile, Noted> CONTRACT =
            Contract.of("registry.note-settings-file", NoteSettingsFile.class, Noted.class);

    public record Noted(boolean noted) {}
}
