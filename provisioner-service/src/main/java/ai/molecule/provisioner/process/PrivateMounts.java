package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.StartRefused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an agent that is a user of its own sees in place of what the machine's users share, by a mount namespace that {@code unshare} makes:
 * one folder of its own as {@code /tmp}, {@code /var/tmp} and {@code /dev/shm}, and a {@code /proc} without other users' processes. Root
 * alone may mount, and in many containers not even root: then they are shared.
 *
 * @param unshare null where the machine lets us mount nothing
 */
record PrivateMounts(@Nullable Path unshare) {

    private static final Logger LOGGER = LoggerFactory.getLogger(PrivateMounts.class);

    private static final List<Path> SHARED = List.of(Path.of("/tmp"), Path.of("/var/tmp"), Path.of("/dev/shm"));

    private static final List<String> OPTIONS = List.of("--mount", "--propagation", "private", "--", "/bin/sh", "-c");

    /**
     * Takes the folder, its user, what stays as it is in those of the machine, {@code --} and the command. The folder is the user's when all that is
     * to stand in it stands there: nobody puts a link in the way. Kernels before 5.8 know no {@code hidepid=invisible}, and by the number for
     * it would hide processes from the whole machine.
     */
    private static final String MOUNT = """
            own=$1; user=$2; shift 2
            while [ "$1" != -- ]; do
                mkdir -p "$own/${1##*/}" && mount --rbind "$1" "$own/${1##*/}" || exit 125
                shift
            done
            shift
            chown "$user:$user" "$own" || exit 125
            for shared in /dev/shm /var/tmp /tmp; do
                [ ! -d "$shared" ] || mount --rbind "$own" "$shared" || exit 125
            done
            mount -t proc -o nosuid,nodev,noexec,hidepid=invisible proc /proc 2>/dev/null
            unset own user shared PWD OLDPWD
            exec "$@"
            """;

    private static final String TRIAL = "mount --bind /tmp /tmp";

    /** Tried, not guessed; what cannot be had is said once. {@code path} is searched. */
    static PrivateMounts ofThisMachine(String path) {
        var unshare = Confinement.find("unshare", path).filter(PrivateMounts::works);
        if (unshare.isEmpty()) {
            LOGGER.atWarn()
                    .log(
                            "this machine lets us mount nothing for agents: they share /tmp and see each other's command lines");
        }
        return new PrivateMounts(unshare.orElse(null));
    }

    boolean available() {
        return unshare != null;
    }

    /**
     * @param own an empty folder of ours, which becomes the user's
     * @param needed what the agent must find where it is, be it in a folder that others share
     * @throws StartRefused when that is a file directly in one
     */
    List<String> around(List<String> command, Path own, int uid, Collection<Path> needed) {
        if (unshare == null) {
            return command;
        }
        List<String> whole = new ArrayList<>(List.of(unshare.toString()));
        whole.addAll(OPTIONS);
        whole.addAll(List.of(MOUNT, "sh", own.toString(), String.valueOf(uid)));
        for (Path kept : kept(needed)) {
            if (!Files.isDirectory(kept)) {
                throw new StartRefused(
                        "workspace start failed: agents have a %s of their own and would not find %s: move it to a folder"
                                .formatted(kept.getParent(), kept));
            }
            whole.add(kept.toString());
        }
        whole.add("--");
        whole.addAll(command);
        return whole;
    }

    /** What lies directly in a shared folder and is, or holds, something that is needed. */
    static Set<Path> kept(Collection<Path> needed) {
        Set<Path> kept = new LinkedHashSet<>();
        needed.stream()
                .flatMap(PrivateMounts::names)
                .forEach(path -> SHARED.stream()
                        .filter(shared -> path.startsWith(shared) && !path.equals(shared))
                        .forEach(shared -> kept.add(shared.resolve(path.getName(shared.getNameCount())))));
        return kept;
    }

    /** As it is called, and as it is without links. */
    private static Stream<Path> names(Path path) {
        Path called = path.toAbsolutePath().normalize();
        try {
            return Stream.of(called, called.toRealPath());
        } catch (IOException absent) {
            return Stream.of(called);
        }
    }

    private static boolean works(Path unshare) {
        List<String> trial = new ArrayList<>(List.of(unshare.toString()));
        trial.addAll(OPTIONS);
        trial.add(TRIAL);
        try {
            return Confinement.works(trial);
        } catch (IOException absent) {
            return false;
        }
    }
}
