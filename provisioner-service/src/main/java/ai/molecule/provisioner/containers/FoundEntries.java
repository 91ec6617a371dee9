package ai.molecule.provisioner.containers;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Entry;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What {@code find -printf '%y %s %P\0'} says of the files in a container. */
public final class FoundEntries {

    private static final Logger LOGGER = LoggerFactory.getLogger(FoundEntries.class);

    private FoundEntries() {}

    /** At most {@link WorkspaceFiles#ENTRIES_MAX}, by their paths; one whose name is none for us is left out. */
    public static List<Entry> in(String output, UUID workspaceId) {
        var lines = output.split("\0", -1);
        if (lines.length > WorkspaceFiles.ENTRIES_MAX + 1) {
            LOGGER.atWarn().addKeyValue("workspaceId", workspaceId).log("a listing was cut at its bound");
        }
        return Arrays.stream(lines)
                .limit(WorkspaceFiles.ENTRIES_MAX)
                .flatMap(line -> entryOf(line).stream())
                .sorted(Comparator.comparing(entry -> entry.path().toString()))
                .toList();
    }

    private static Optional<Entry> entryOf(String line) {
        var parts = line.split(" ", 3);
        if (parts.length < 3) {
            return Optional.empty();
        }
        try {
            boolean folder = parts[0].equals("d");
            return Optional.of(new Entry(FilePath.of(parts[2]), folder ? 0 : Long.parseLong(parts[1]), folder));
        } catch (ApiError noNameForUs) {
            return Optional.empty();
        }
    }
}
