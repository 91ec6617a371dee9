package ai.molecule.cli.machine;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.embedded.Unprivileged;
import ai.molecule.cli.process.Commands;
import ai.molecule.cli.up.PortHolder;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Each looks at one thing, in seconds at most, and changes nothing.
 *
 * @param root {@code /}; another for tests
 * @param environment where the user names servers of his own
 * @param data the data folder, which need not be there
 * @param launcherPid the process of the platform that runs there, if one does
 * @param port of the front door
 */
public record MachineChecks(Path root, Map<String, String> environment, Path data, OptionalLong launcherPid, int port) {

    private static final Duration TRY = Duration.ofSeconds(5);
    private static final long GIB = 1L << 30;
    private static final long DISK_MIN = GIB;
    private static final long DISK_GOOD = 5 * GIB;
    /** Services take 512 MiB, the stores 100, an agent 60 to 100 each. */
    private static final long MEMORY_GOOD = 3 * GIB / 2;

    private static final int FILES_MIN = 1024;
    private static final int FILES_GOOD = 4096;
    private static final double GLIBC_MIN = 2.34;
    private static final Pattern GLIBC = Pattern.compile("(?:glibc|GLIBC)[^0-9]*([0-9]+\\.[0-9]+)");

    /** All, in the order in which a start needs them. */
    public List<Finding> all() {
        return List.of(
                system(),
                jdk(),
                libc(),
                libssl(),
                user(),
                namespaces(),
                cgroups(),
                portFinding(),
                files(),
                memory(),
                disk(),
                clock(),
                docker());
    }

    Finding system() {
        String name = System.getProperty("os.name", "");
        String says = name + " " + System.getProperty("os.version", "") + ", " + System.getProperty("os.arch", "");
        if (name.startsWith("Linux")) {
            return Finding.ok("system", says);
        }
        return name.startsWith("Windows")
                ? Finding.bad("system", says + ": Molecule does not run on Windows itself.", "Run it in WSL 2.")
                : Finding.note(
                        "system",
                        says + ": agents of the process backend need Linux.",
                        "Start it with --backend docker, or on Linux.");
    }

    Finding jdk() {
        int feature = Runtime.version().feature();
        String says = Runtime.version() + " in " + System.getProperty("java.home", "?");
        return feature >= 25
                ? Finding.ok("JDK", says)
                : Finding.bad("JDK", says + " is older than 25.", "Name a JDK 25 or newer in MOLECULE_JAVA_HOME.");
    }

    Finding libc() {
        if (!needsServersOfOurs()) {
            return Finding.ok("libc", "any will do: DATABASE_URL and REDIS_URL name servers of yours");
        }
        String servers =
                "Name servers of yours in DATABASE_URL and REDIS_URL (MOLECULE_REDIS=none does without the latter).";
        if (anyFile("lib", "ld-musl-.*")) {
            return Finding.bad("libc", "This system has musl, and the embedded servers want glibc.", servers);
        }
        String said = output("getconf", "GNU_LIBC_VERSION").orElse("");
        var version = GLIBC.matcher(said);
        if (!version.find()) {
            return Finding.note("libc", "Its version is not known; the embedded servers want glibc 2.34.", servers);
        }
        return compare(version.group(1), GLIBC_MIN) < 0
                ? Finding.bad("libc", "glibc %s; the embedded Redis wants 2.34.".formatted(version.group(1)), servers)
                : Finding.ok("libc", "glibc " + version.group(1));
    }

    /** 2.4 is older than 2.34. */
    private static int compare(String version, double least) {
        String[] own = version.split("\\.", -1);
        String[] other = String.valueOf(least).split("\\.", -1);
        int major = Integer.compare(Integer.parseInt(own[0]), Integer.parseInt(other[0]));
        return major != 0 ? major : Integer.compare(Integer.parseInt(own[1]), Integer.parseInt(other[1]));
    }

    Finding libssl() {
        if (!environment.getOrDefault("REDIS_URL", "").isEmpty() || "none".equals(environment.get("MOLECULE_REDIS"))) {
            return Finding.ok("libssl", "none is needed: no Redis is started here");
        }
        boolean found = Stream.of("lib", "lib64", "usr/lib", "usr/lib64", "usr/local/lib")
                        .anyMatch(folder -> anyFile(folder, "libssl\\.so\\.3.*"))
                || folders("usr/lib").anyMatch(folder -> anyFile(folder, "libssl\\.so\\.3.*"))
                || folders("lib").anyMatch(folder -> anyFile(folder, "libssl\\.so\\.3.*"));
        return found
                ? Finding.ok("libssl", "libssl.so.3 is there, which the embedded Redis wants")
                : Finding.bad(
                        "libssl",
                        "libssl.so.3 is missing, so the embedded Redis ends with exit code 127.",
                        "Install OpenSSL 3, name a Redis in REDIS_URL, or set MOLECULE_REDIS=none.");
    }

    Finding user() {
        String user = System.getProperty("user.name", "?");
        if (!environment.getOrDefault("DATABASE_URL", "").isEmpty()) {
            return Finding.ok("user", user + "; no PostgreSQL is started here");
        }
        try {
            var way = Unprivileged.find();
            return Finding.ok(
                    "user",
                    way.prefix().isEmpty()
                            ? user
                            : user + "; PostgreSQL is started by "
                                    + way.prefix().getFirst());
        } catch (LaunchFailure refused) {
            return Finding.bad(
                    "user", refused.sentence(), "Start Molecule as an ordinary user, or name a DATABASE_URL.");
        }
    }

    Finding namespaces() {
        return Commands.succeeds(TRY, List.of("unshare", "-U"), "true")
                ? Finding.ok("namespaces", "this user may make namespaces of users")
                : Finding.note(
                        "namespaces",
                        "This user may make no namespaces: the tool run below tier 3, and the sandbox of codex, do not work.",
                        "Set the kernel's user.max_user_namespaces above 0 (and kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu), give such"
                                + " agents tier 3, or use --backend docker.");
    }

    Finding cgroups() {
        Path groups = root.resolve("sys/fs/cgroup");
        String todo =
                "Start it in a group of its own that it may change (systemd-run --user --scope -p Delegate=yes ./molecule up), as root, or with --backend docker.";
        if (!Files.isDirectory(groups)) {
            return Finding.note("cgroups", "There are none: what agents use together is not limited.", todo);
        }
        boolean version1 = Files.isDirectory(groups.resolve("memory"));
        Path own = version1 ? groups.resolve("memory") : groups.resolve(ownGroup());
        boolean writable = Stream.iterate(own, each -> each != null && each.startsWith(groups), Path::getParent)
                .anyMatch(folder -> Files.isWritable(folder) && isLimited(folder, version1));
        return writable
                ? Finding.ok("cgroups", "version " + (version1 ? 1 : 2) + ", and we may make groups")
                : Finding.note(
                        "cgroups",
                        "We may make none: the processors and the sum of an agent's processes are not limited.",
                        todo);
    }

    private static boolean isLimited(Path folder, boolean version1) {
        try {
            return version1
                    || Files.readString(folder.resolve("cgroup.controllers")).contains("memory");
        } catch (IOException unknown) {
            return false;
        }
    }

    private String ownGroup() {
        return lines("proc/self/cgroup").stream()
                .filter(line -> line.startsWith("0::/"))
                .map(line -> line.substring("0::/".length()))
                .findFirst()
                .orElse("");
    }

    Finding portFinding() {
        var holder = PortHolder.find(port);
        if (holder.isPresent()) {
            long pid = holder.get().pid();
            return launcherPid.isPresent() && launcherPid.getAsLong() == pid
                    ? Finding.ok("port", port + " is Molecule's own")
                    : Finding.bad(
                            "port",
                            "%d is taken by process %d%s."
                                    .formatted(
                                            port,
                                            pid,
                                            holder.get()
                                                    .info()
                                                    .command()
                                                    .map(command -> " (" + command + ")")
                                                    .orElse("")),
                            "Stop it, or start with --port 0 for any that is free.");
        }
        try {
            PortHolder.requireFree("127.0.0.1", port);
            return Finding.ok("port", port + " is free");
        } catch (LaunchFailure taken) {
            return Finding.bad("port", taken.sentence(), "Start with --port 0 for any that is free.");
        }
    }

    Finding files() {
        var limit = lines("proc/self/limits").stream()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.substring("Max open files".length()).strip().split("\\s+"))
                .findFirst();
        if (limit.isEmpty() || limit.get().length < 2) {
            return Finding.note("files", "How many this user may have open is not known.", "See ulimit -n.");
        }
        String hard = limit.get()[1];
        long most = hard.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(hard);
        String says = "a process may have " + hard + " open";
        String todo = "Raise it: ulimit -Hn, /etc/security/limits.conf, or LimitNOFILE= of the service.";
        if (most < FILES_MIN) {
            return Finding.bad("files", says + ", which does not suffice.", todo);
        }
        return most < FILES_GOOD
                ? Finding.note("files", says + ": enough for some dozens of agents and sockets.", todo)
                : Finding.ok("files", says);
    }

    Finding memory() {
        var available = lines("proc/meminfo").stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                .findFirst();
        if (available.isEmpty()) {
            return Finding.note("memory", "How much is free is not known.", "A platform wants 1.5 GiB.");
        }
        String says = gib(available.get()) + " GiB can be had";
        return available.get() < MEMORY_GOOD
                ? Finding.note(
                        "memory",
                        says + "; services and stores take 0.7, each agent 0.1.",
                        "Stop something else, or start fewer agents.")
                : Finding.ok("memory", says);
    }

    Finding disk() {
        Path place = Stream.iterate(data, each -> each != null, Path::getParent)
                .filter(Files::exists)
                .findFirst()
                .orElse(root);
        if (!Files.isDirectory(place) || !Files.isWritable(place)) {
            return Finding.bad(
                    "disk",
                    place + " cannot be written.",
                    "Give this user access to it, or choose another folder with --data.");
        }
        try {
            FileStore store = Files.getFileStore(place);
            long free = store.getUsableSpace();
            String says = gib(free) + " GiB are free for " + data;
            if (free < DISK_MIN) {
                return Finding.bad(
                        "disk",
                        says + ": too little for the stores.",
                        "Make room, or choose another folder with --data.");
            }
            return free < DISK_GOOD
                    ? Finding.note(
                            "disk",
                            says + ".",
                            "Make room before it is used for long: activity alone may take 256 MiB a day of each agent.")
                    : Finding.ok("disk", says);
        } catch (IOException e) {
            return Finding.note("disk", "How much is free for " + data + " is not known: " + e.getMessage(), "See df.");
        }
    }

    Finding clock() {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Instant built = builtAt();
        if (now.isBefore(built)) {
            return Finding.bad(
                    "clock",
                    "It says %s, before this was built (%s): tokens, leases and time-outs go wrong."
                            .formatted(now, built),
                    "Set the clock, and have it kept (systemd-timesyncd, chrony).");
        }
        boolean astray = output("timedatectl", "show", "-p", "NTPSynchronized")
                .filter(said -> said.contains("=no"))
                .isPresent();
        return astray
                ? Finding.note(
                        "clock",
                        now + ", and nobody keeps it: with services on other machines tokens and leases may go wrong.",
                        "timedatectl set-ntp true, or chrony.")
                : Finding.ok("clock", now.toString());
    }

    private static Instant builtAt() {
        try {
            var source = MachineChecks.class.getProtectionDomain().getCodeSource();
            return source == null
                    ? Instant.EPOCH
                    : Files.getLastModifiedTime(Path.of(source.getLocation().toURI()))
                            .toInstant()
                            .truncatedTo(ChronoUnit.SECONDS);
        } catch (IOException | URISyntaxException unknown) {
            return Instant.EPOCH;
        }
    }

    Finding docker() {
        String host = environment.getOrDefault("DOCKER_HOST", "");
        String only = "; only --backend docker and images need it";
        if (!host.isEmpty() && !host.startsWith("unix://")) {
            return Finding.note(
                    "Docker",
                    "DOCKER_HOST is " + host + ", which is not tried here" + only + ".",
                    "docker version asks it.");
        }
        Path socket =
                host.isEmpty() ? root.resolve("var/run/docker.sock") : Path.of(host.substring("unix://".length()));
        if (!Files.exists(socket)) {
            return Finding.note(
                    "Docker",
                    "There is no engine at " + socket + only + ".",
                    "Install Docker or Podman, or name it in DOCKER_HOST.");
        }
        if (!Files.isWritable(socket)) {
            return Finding.note(
                    "Docker", "This user may not use " + socket + only + ".", "Add the user to the group docker.");
        }
        return pings(socket)
                ? Finding.ok("Docker", "an engine answers at " + socket)
                : Finding.note(
                        "Docker", "What listens at " + socket + " does not answer" + only + ".", "Start the engine.");
    }

    /** In a thread of its own: a socket may take a connection and never answer. */
    private static boolean pings(Path socket) {
        var answered = new CompletableFuture<Boolean>();
        Thread.ofVirtual().name("docker-ping").start(() -> {
            try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                channel.connect(UnixDomainSocketAddress.of(socket));
                channel.write(ByteBuffer.wrap(
                        "GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
                var begin = ByteBuffer.allocate(64);
                channel.read(begin);
                answered.complete(
                        new String(begin.array(), 0, begin.position(), StandardCharsets.US_ASCII).contains(" 200"));
            } catch (IOException | RuntimeException away) {
                answered.complete(false);
            }
        });
        try {
            return answered.get(TRY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException silent) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean needsServersOfOurs() {
        boolean redis = environment.getOrDefault("REDIS_URL", "").isEmpty()
                && !"none".equals(environment.get("MOLECULE_REDIS"));
        return redis || environment.getOrDefault("DATABASE_URL", "").isEmpty();
    }

    private boolean anyFile(String folder, String pattern) {
        return names(folder).anyMatch(name -> name.matches(pattern));
    }

    private Stream<String> folders(String folder) {
        return names(folder).map(name -> folder + "/" + name).filter(each -> Files.isDirectory(root.resolve(each)));
    }

    private Stream<String> names(String folder) {
        String[] names = root.resolve(folder).toFile().list();
        return names == null ? Stream.of() : Stream.of(names);
    }

    private List<String> lines(String file) {
        try {
            return Files.readAllLines(root.resolve(file));
        } catch (IOException none) {
            return List.of();
        }
    }

    /** What a program of this machine prints, in time. */
    private static Optional<String> output(String... command) {
        try {
            var process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(TRY.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                return Optional.empty();
            }
            return Optional.of(new String(process.getInputStream().readNBytes(4096), StandardCharsets.UTF_8).strip());
        } catch (IOException none) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static String gib(long bytes) {
        return String.format(Locale.ROOT, "%.1f", (double) bytes / GIB);
    }
}
