package ai.molecule.provisioner.files;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import java.util.Arrays;
import java.util.Locale;

/** A place in a workspace as its agent names it: one of four roots, and a path below. */
record AgentPath(Root root, FilePath path) {

    private static final AgentPath TOKEN = new AgentPath(Root.CONFIGS, FilePath.of(".auth_token"));

    /** Fails with INVALID {@code root must be one of: …} or {@code invalid path}. */
    static AgentPath of(String root, String path) {
        return new AgentPath(rootOf(root), FilePath.of(path));
    }

    /** Of a whole path such as {@code /workspace/notes.md}; fails with INVALID and the texts of chat downloads. */
    static AgentPath ofAbsolute(String text) {
        if (text.isEmpty()) {
            throw ApiError.invalid("path query required");
        }
        if (!text.startsWith("/")) {
            throw ApiError.invalid("path must be absolute");
        }
        int slash = text.indexOf('/', 1);
        String root = slash < 0 ? text : text.substring(0, slash);
        if (Arrays.stream(Root.values()).noneMatch(each -> nameOf(each).equals(root))) {
            throw ApiError.invalid("path must be under /configs, /workspace, /home, or /plugins");
        }
        return of(root, slash < 0 ? "" : text.substring(slash + 1));
    }

    /** The agent's bearer token lies among its configs; it is nobody's to read or to write. */
    boolean isToken() {
        return equals(TOKEN);
    }

    private static Root rootOf(String name) {
        return Arrays.stream(Root.values())
                .filter(root -> nameOf(root).equals(name))
                .findFirst()
                .orElseThrow(() -> ApiError.invalid("root must be one of: /configs, /workspace, /home, /plugins"));
    }

    private static String nameOf(Root root) {
        return "/" + root.name().toLowerCase(Locale.ROOT);
    }
}
