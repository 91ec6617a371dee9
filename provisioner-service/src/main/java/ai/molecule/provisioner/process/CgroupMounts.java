package ai.molecule.provisioner.process;

import ai.molecule.provisioner.containers.Tier;
import ai.molecule.provisioner.process.Cgroups.Cgroup;
import ai.molecule.provisioner.process.Cgroups.Cgroup.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the kernel's groups of processes are on this machine, and where we are in them (cgroups(7)).
 *
 * @param mounts lines of /proc/self/mountinfo
 * @param places lines of /proc/self/cgroup
 */
record CgroupMounts(List<String> mounts, List<String> places) {

    /** Of a second, in microseconds, that processors are shared out in. */
    private static final long PERIOD = 100_000;

    /** Set in this order: with version 1 a limit with swap may not be below the one without. */
    private static final List<Setting> MEMORY_1 = List.of(
            new Setting("memory.limit_in_bytes", tier -> String.valueOf(tier.memoryBytes())),
            new Setting("memory.memsw.limit_in_bytes", tier -> String.valueOf(tier.memoryBytes())));

    private static final List<Setting> CPU_1 = List.of(
            new Setting("cpu.cfs_period_us", tier -> String.valueOf(PERIOD)),
            new Setting("cpu.cfs_quota_us", tier -> String.valueOf(quota(tier))));

    private static final List<Setting> PIDS = List.of(new Setting("pids.max", tier -> String.valueOf(tier.pids())));

    private static final List<Setting> ALL_2 = List.of(
            new Setting("memory.max", tier -> String.valueOf(tier.memoryBytes())),
            new Setting("memory.swap.max", tier -> "0"),
            new Setting("cpu.max", tier -> quota(tier) + " " + PERIOD),
            new Setting("pids.max", tier -> String.valueOf(tier.pids())));

    static CgroupMounts ofThisMachine() {
        return new CgroupMounts(linesOf(Path.of("/proc/self/mountinfo")), linesOf(Path.of("/proc/self/cgroup")));
    }

    /** What may be tried, as folders of that name; whether any can be used is seen when it is. */
    List<Cgroup> groupsFor(String name) {
        List<Cgroup> found = new ArrayList<>();
        version1("memory").ifPresent(place -> found.add(new Cgroup(place.resolve(name), MEMORY_1)));
        version1("cpu").ifPresent(place -> found.add(new Cgroup(place.resolve(name), CPU_1)));
        version1("pids").ifPresent(place -> found.add(new Cgroup(place.resolve(name), PIDS)));
        if (found.isEmpty()) {
            version2().ifPresent(place -> found.add(new Cgroup(place.resolve(name), ALL_2)));
        }
        return found;
    }

    private Optional<Path> version1(String controller) {
        return mountOf("cgroup", controller)
                .flatMap(mount -> places.stream()
                        .map(line -> line.split(":", 3))
                        .filter(parts -> parts.length == 3
                                && List.of(parts[1].split(",", -1)).contains(controller))
                        .map(parts -> mount.folder(parts[2]))
                        .findFirst());
    }

    /**
     * The nearest group above us whose groups can be limited: a group with processes in it, such as our own, cannot pass limits on
     * (except the first of all).
     */
    private Optional<Path> version2() {
        return mountOf("cgroup2", null)
                .flatMap(mount -> places.stream()
                        .filter(line -> line.startsWith("0::"))
                        .map(line -> mount.folder(line.substring("0::".length())))
                        .flatMap(
                                own -> Stream.iterate(own, folder -> folder.startsWith(mount.point()), Path::getParent))
                        .filter(CgroupMounts::passesLimitsOn)
                        .findFirst());
    }

    private static boolean passesLimitsOn(Path folder) {
        Path passedOn = folder.resolve("cgroup.subtree_control");
        try {
            var offered = wordsOf(folder.resolve("cgroup.controllers"));
            for (String limit : new String[] {"memory", "cpu", "pids"}) {
                if (offered.contains(limit) && !wordsOf(passedOn).contains(limit)) {
                    Files.writeString(passedOn, "+" + limit);
                }
            }
            return wordsOf(passedOn).contains("memory");
        } catch (IOException refused) {
            return false;
        }
    }

    private static Set<String> wordsOf(Path file) throws IOException {
        return Set.copyOf(Arrays.asList(Files.readString(file).strip().split(" +")));
    }

    private Optional<Mount> mountOf(String type, @Nullable String controller) {
        return mounts.stream()
                .flatMap(line -> Mount.in(line, type, controller).stream())
                .findFirst();
    }

    /** At most as much as a tier gives, of every period. */
    private static long quota(Tier tier) {
        return tier.cpuShares() * PERIOD / 1024;
    }

    private static List<String> linesOf(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException noProc) {
            return List.of();
        }
    }

    /** @param root the group that is seen at the mount point */
    private record Mount(Path root, Path point) {

        /** Of a line {@code 36 35 0:33 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids}. */
        static Optional<Mount> in(String line, String type, @Nullable String controller) {
            var halves = line.split(" - ", 2);
            var front = halves[0].split(" ", -1);
            var back = halves.length < 2 ? new String[0] : halves[1].split(" ", -1);
            boolean fits = front.length > 4
                    && back.length > 2
                    && back[0].equals(type)
                    && (controller == null || List.of(back[2].split(",", -1)).contains(controller));
            return fits ? Optional.of(new Mount(Path.of(front[3]), Path.of(front[4]))) : Optional.empty();
        }

        /** Where a group is; one outside of what is mounted counts as the mount point. */
        Path folder(String group) {
            Path path = Path.of(group);
            return path.startsWith(root) ? point.resolve(root.relativize(path).toString()) : point;
        }
    }
}
