package ai.molecule.provisioner.process;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects what is below a folder: files and folders, no links, nothing with a name that could not be asked for. Blocks. */
final class Listing {

    private static final Logger LOGGER = LoggerFactory.getLogger(Listing.class);

    private final UUID workspaceId;
    private final FilePath folder;
    private final int depth;
    private final List<Entry> entries = new ArrayList<>();

    Listing(UUID workspaceId, FilePath folder, int depth) {
        this.workspaceId = workspaceId;
        this.folder = folder;
        this.depth = depth;
    }

    List<Entry> of(HeldPath root) throws IOException {
        try (var held = root.findFolder(folder.names()).orElse(null)) {
            if (held != null && !collect(held, FilePath.ROOT, depth)) {
                LOGGER.atWarn().addKeyValue("workspaceId", workspaceId).log("a listing of files was cut off");
            }
        }
        return entries;
    }

    /** False when there is no room for more. */
    private boolean collect(HeldPath held, FilePath path, int levels) throws IOException {
        try (var found = Files.newDirectoryStream(held.path())) {
            for (Path each : found) {
                if (!add(held, path, each.getFileName().toString(), levels)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean add(HeldPath parent, FilePath path, String name, int levels) throws IOException {
        FilePath entry;
        try {
            entry = FilePath.of(path.isRoot() ? name : path + "/" + name);
        } catch (ApiError unspeakable) {
            return true;
        }
        try (var held = parent.find(name).orElse(null)) {
            if (held == null) {
                return true; // it has just gone, or its name is not in our encoding
            }
            var attributes = held.attributes();
            if (!attributes.isDirectory() && !attributes.isRegularFile()) {
                return true;
            }
            if (entries.size() == WorkspaceFiles.ENTRIES_MAX) {
                return false;
            }
            entries.add(new Entry(entry, attributes.isDirectory() ? 0 : attributes.size(), attributes.isDirectory()));
            return !attributes.isDirectory() || levels == 1 || collect(held, entry, levels - 1);
        }
    }
}
