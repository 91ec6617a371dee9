package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.process.Commands;
import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How to start a server that refuses to run as root. An ordinary user needs nothing. Root steps into a user namespace, where it
 * is nobody and still owns its files; where the system forbids that, root starts the server as the user {@code nobody}, who
 * then must own the server's folder.
 *
 * @param prefix words in front of the server's command; they replace themselves by it
 * @param owner the user who must own the server's folder; empty: the one who runs this
 */
public record Unprivileged(List<String> prefix, Optional<String> owner) {

    private static final String NOBODY = "nobody";
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(5);

    /** The way that works here. */
    public static Unprivileged find() {
        return choose(new UnixSystem().getUid() == 0, prefix -> Commands.succeeds(PROBE_TIMEOUT, prefix, "true"));
    }

    /**
     * Decides without touching the system.
     *
     * @param works whether {@code true} runs behind the given words
     */
    static Unprivileged choose(boolean root, Predicate<List<String>> works) {
        if (!root) {
            return new Unprivileged(List.of(), Optional.empty());
        }
        var namespace = List.of("unshare", "-U");
        if (works.test(namespace)) {
            return new Unprivileged(namespace, Optional.empty());
        }
        for (var other : List.of(
                List.of("setpriv", "--reuid=" + NOBODY, "--regid=65534", "--clear-groups"),
                List.of("runuser", "-u", NOBODY, "--"))) {
            if (works.test(other)) {
                return new Unprivileged(other, Optional.of(NOBODY));
            }
        }
        throw LaunchFailure.usersTurn(
                "PostgreSQL does not run as root and this system refuses both user namespaces and running"
                        + " it as another user; start Molecule as an ordinary user, or set DATABASE_URL to a PostgreSQL of yours.");
    }

    /**
     * Gives the server's folder to the user it will run as and opens the way to it: the enclosing data folder can then be
     * passed through, though not listed; what lies in it keeps its own modes.
     */
    void own(Path folder) throws IOException {
        if (owner.isEmpty()) {
            return;
        }
        var user = folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(owner.get());
        try (var paths = Files.walk(folder)) {
            for (Path path : paths.toList()) {
                var view = Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
                view.setOwner(user);
            }
        }
    }

    /** Lets the user who runs the server pass through {@code data} and checks that {@code program} can be reached. */
    void makeReachable(Path data, Path program) throws IOException {
        if (owner.isEmpty()) {
            return;
        }
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx--x--x"));
        if (!Commands.succeeds(PROBE_TIMEOUT, prefix, "test", "-x", program.toString())) {
            throw LaunchFailure.usersTurn("PostgreSQL has to run as the user " + owner.get() + ", who cannot reach "
                    + data + "; choose a folder everybody may pass through with --data, or set DATABASE_URL.");
        }
    }
}
