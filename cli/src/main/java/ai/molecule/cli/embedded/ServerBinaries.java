package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The servers' programs, unpacked once from the class path into a folder of the platform (a system's /tmp may forbid running
 * programs). Each release has a folder of its own, named like the artifact it came from, that appears only when complete. What
 * is not as {@link Checksums} has it is neither unpacked nor started.
 */
public final class ServerBinaries {

    private static final List<String> POSTGRES_PROGRAMS = List.of("bin/postgres", "bin/initdb");

    private final Path folder;
    private final Checksums checksums;

    public ServerBinaries(Path folder) {
        this(folder, Checksums.shipped());
    }

    ServerBinaries(Path folder, Checksums checksums) {
        this.folder = folder;
        this.checksums = checksums;
    }

    /** Installs PostgreSQL if needed and answers the folder that holds {@code bin/postgres}. */
    public Path postgres() throws IOException {
        boolean mac = os().equals("darwin");
        String archive = "postgres-%s-%s.txz".formatted(mac ? "darwin" : "linux", arm() ? "arm_64" : "x86_64");
        Path installed = install(archive, fresh -> {
            try (var packed = resource(archive).openStream()) {
                untar(packed, fresh);
            }
        });
        for (String program : POSTGRES_PROGRAMS) {
            requireUnchanged(archive + "!" + program, installed.resolve(program));
        }
        return installed;
    }

    /** Installs Redis if needed and answers the program. */
    public Path redis() throws IOException {
        String program =
                switch (os() + (arm() ? "-arm64" : "-amd64")) {
                    case "linux-amd64" -> "redis-server-6.2.6-v5-linux-amd64";
                    case "linux-arm64" -> "redis-server-6.2.7-linux-arm64";
                    case "darwin-amd64" -> "redis-server-6.2.6-v5-darwin-amd64";
                    default -> "redis-server-6.2.6-v5-darwin-arm64";
                };
        Path installed = install(program, fresh -> {
            try (var bytes = resource(program).openStream()) {
                Path server = fresh.resolve("redis-server");
                Files.copy(bytes, server);
                Files.setPosixFilePermissions(server, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        });
        requireUnchanged(program, installed.resolve("redis-server"));
        return installed.resolve("redis-server");
    }

    /** Whoever may write where it was unpacked could have put another program there. */
    private void requireUnchanged(String name, Path program) throws IOException {
        try (var bytes = Files.newInputStream(program)) {
            checksums.require(name, bytes, program);
        }
    }

    private interface Unpacking {
        void into(Path fresh) throws IOException;
    }

    private Path install(String resource, Unpacking unpacking) throws IOException {
        Path installed = folder.resolve(artifactOf(resource(resource)));
        if (Files.isDirectory(installed)) {
            return installed;
        }
        try (var packed = resource(resource).openStream()) {
            checksums.require(resource, packed, resource);
        }
        Files.createDirectories(folder);
        Path fresh = folder.resolve(installed.getFileName() + ".unpacking");
        deleteTree(fresh);
        Files.createDirectory(fresh);
        unpacking.into(fresh);
        return Files.move(fresh, installed, StandardCopyOption.ATOMIC_MOVE);
    }

    /** {@code …/embedded-redis-1.4.4.jar!/redis-server} to {@code embedded-redis-1.4.4}. */
    private static String artifactOf(URL resource) {
        String jar = resource.getPath().replaceFirst("\\.jar!.*$", "");
        return jar.substring(jar.lastIndexOf('/') + 1);
    }

    private static URL resource(String name) {
        URL resource = ServerBinaries.class.getClassLoader().getResource(name);
        if (resource == null) {
            throw LaunchFailure.usersTurn("There is no embedded server for this system (" + name
                    + " is not among the libraries); start one yourself and set DATABASE_URL and REDIS_URL.");
        }
        return resource;
    }

    private static void untar(InputStream packed, Path target) throws IOException {
        var tar = new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(packed)));
        for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
            Path path = target.resolve(entry.getName()).normalize();
            if (!path.startsWith(target)) {
                throw new IOException("archive entry outside its folder: " + entry.getName());
            }
            if (entry.isDirectory()) {
                Files.createDirectories(path);
            } else if (entry.isSymbolicLink()) {
                Files.createDirectories(parent(path));
                Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            } else {
                Files.createDirectories(parent(path));
                Files.copy(tar, path);
                boolean executable = (entry.getMode() & 0100) != 0;
                Files.setPosixFilePermissions(
                        path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
            }
        }
    }

    private static Path parent(Path path) {
        Path parent = path.getParent();
        return parent == null ? path : parent;
    }

    public static void deleteTree(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (var paths = Files.walk(tree)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static String os() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac") ? "darwin" : "linux";
    }

    private static boolean arm() {
        return System.getProperty("os.arch", "").equals("aarch64");
    }
}
