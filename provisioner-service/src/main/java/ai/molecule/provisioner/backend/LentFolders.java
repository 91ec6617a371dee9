package ai.molecule.provisioner.backend;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.config.Env;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which folders of the machine may be lent to agents: never the platform's own, nor one above or below it, by a link neither.
 *
 * @param data {@code MOLECULE_DATA}; null where the platform has none
 * @param allowed {@code MOLECULE_WORKSPACE_DIRS}, absolute folders: only these and what is below them; none for any
 */
public record LentFolders(@Nullable Path data, List<Path> allowed) {

    public static final LentFolders ANY = new LentFolders(null, List.of());

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static LentFolders fromEnv(Env env) {
        String data = env.find("MOLECULE_DATA");
        var allowed = env.list("MOLECULE_WORKSPACE_DIRS").stream().map(Path::of).toList();
        if (!allowed.stream().allMatch(Path::isAbsolute)) {
            throw new IllegalArgumentException("MOLECULE_WORKSPACE_DIRS must be absolute folders");
        }
        return new LentFolders(data == null ? null : Path.of(data).toAbsolutePath(), allowed);
    }

    /** Fails with {@link StartRefused}. */
    void check(ManagedWorkspace workspace) {
        String folder = workspace.workspaceDir();
        if (folder == null || !workspace.worksInLentFolder()) {
            return;
        }
        var lent = real(Path.of(folder));
        var own = data == null ? null : real(data);
        if (own != null && (lent.startsWith(own) || own.startsWith(lent))) {
            throw new StartRefused("workspace_dir %s is not lent: the platform's own data is there".formatted(folder));
        }
        if (!allowed.isEmpty() && allowed.stream().noneMatch(each -> lent.startsWith(real(each)))) {
            throw new StartRefused(
                    "workspace_dir %s is not lent: it is in none of MOLECULE_WORKSPACE_DIRS".formatted(folder));
        }
    }

    /** Of what is not there, or on another machine, as far as its path says. */
    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException absent) {
            return path.toAbsolutePath().normalize();
        }
    }
}
