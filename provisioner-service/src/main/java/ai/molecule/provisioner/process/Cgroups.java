package ai.molecule.provisioner.process;

import ai.molecule.provisioner.containers.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group of the kernel's for each agent, which holds all its processes together to its tier's memory, processors and number of
 * processes. Empty where this machine lets us make none. Blocks.
 *
 * @param hierarchies where groups can be made: one for each kind of limit with cgroups of version 1, one for all with version 2
 */
record Cgroups(List<Cgroup> hierarchies) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Cgroups.class);

    /** What stands before the agent's own command: the shell enters the groups given to it and becomes that command. */
    private static final String ENTER =
            "n=$1; shift; while [ $n -gt 0 ]; do echo 0 >\"$1\" || exit 1; shift; n=$((n-1)); done; unset n PWD"
                    + " OLDPWD; exec \"$@\"";

    /** What this machine has; what it lacks is said once. */
    static Cgroups ofThisMachine() {
        var found = CgroupMounts.ofThisMachine().groupsFor("molecule");
        var usable = found.stream().filter(Cgroup::isUsable).toList();
        if (usable.isEmpty()) {
            LOGGER.atWarn()
                    .log("this machine gives us no cgroup: processors and the sum of an agent's processes are not"
                            + " limited");
        } else {
            usable.forEach(Cgroup::removeLeftBehind);
            LOGGER.atInfo().addKeyValue("cgroups", usable).log("agents are limited by cgroups");
        }
        return new Cgroups(usable);
    }

    /** The command with what makes it enter the agent's groups; whatever an earlier run left in them is killed first. */
    List<String> around(List<String> command, UUID workspaceId, Tier tier) throws IOException {
        if (hierarchies.isEmpty()) {
            return command;
        }
        List<String> whole =
                new ArrayList<>(List.of("/bin/sh", "-c", ENTER, "enter", String.valueOf(hierarchies.size())));
        delete(workspaceId); // counters begin anew
        for (Cgroup hierarchy : hierarchies) {
            whole.add(hierarchy.make(workspaceId, tier).toString());
        }
        whole.addAll(command);
        return whole;
    }

    /** Whether the kernel killed any of the agent's processes because they took too much memory together. */
    boolean ranOutOfMemory(UUID workspaceId) {
        return hierarchies.stream().anyMatch(hierarchy -> hierarchy.ranOutOfMemory(workspaceId));
    }

    /** Kills what is left of the agent's processes. */
    void killAll(UUID workspaceId) {
        hierarchies.forEach(hierarchy -> hierarchy.killAll(workspaceId));
    }

    /** Kills what is left of the agent's processes, and forgets it. */
    void delete(UUID workspaceId) {
        killAll(workspaceId);
        hierarchies.forEach(hierarchy -> hierarchy.delete(workspaceId));
    }

    /** One hierarchy's folder of agents' groups. */
    record Cgroup(Path folder, List<Setting> settings) {

        /** Of processes that fork while they are killed, the rest is killed in the next round. */
        private static final int KILL_ROUNDS = 5;

        private static final Duration KILL_ROUND = Duration.ofMillis(10);

        private static final Duration ENTERED_BY_THEN = Duration.ofMinutes(1);

        /** The names in it are ids, of which agents learn none but their own. */
        private static final Set<PosixFilePermission> PASSED = PosixFilePermissions.fromString("rwx--x--x");

        private static final Path NOTHING = Path.of("/dev/null");

        /** @param file written when a group is made; one that is not there is passed over */
        record Setting(String file, Value value) {}

        /** What is written for a tier. */
        interface Value {
            String of(Tier tier);
        }

        Path make(UUID workspaceId, Tier tier) throws IOException {
            Path group = folder.resolve(workspaceId.toString());
            Files.createDirectories(group);
            Files.setPosixFilePermissions(folder, PASSED);
            for (Setting setting : settings) {
                Path file = group.resolve(setting.file());
                if (Files.exists(file)) {
                    Files.writeString(file, setting.value().of(tier));
                }
            }
            return group.resolve("cgroup.procs");
        }

        /** Tried once with a process that ends at once: many a folder can be made where no process may be moved to. */
        boolean isUsable() {
            var trial = UUID.randomUUID();
            try {
                Path entry = make(trial, new Tier(2, 512, 1024, 256));
                var shell = new ProcessBuilder("/bin/sh", "-c", ENTER, "enter", "1", entry.toString(), "true")
                        .redirectErrorStream(true)
                        .redirectOutput(NOTHING.toFile())
                        .redirectInput(NOTHING.toFile())
                        .start();
                return shell.waitFor() == 0;
            } catch (IOException refused) {
                return false;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return false;
            } finally {
                delete(trial);
            }
        }

        /** Groups of agents that do not run any more, also of other platforms; one that has processes cannot be removed. */
        void removeLeftBehind() {
            try (Stream<Path> groups = Files.list(folder)) {
                groups.filter(Files::isDirectory).filter(Cgroup::isOld).forEach(Cgroup::remove);
            } catch (IOException none) {
                // there is nothing to remove
            }
        }

        /** A younger one may be about to be entered. */
        private static boolean isOld(Path group) {
            try {
                return Files.getLastModifiedTime(group)
                        .toInstant()
                        .isBefore(Instant.now().minus(ENTERED_BY_THEN));
            } catch (IOException gone) {
                return false;
            }
        }

        void delete(UUID workspaceId) {
            remove(folder.resolve(workspaceId.toString()));
        }

        private static void remove(Path group) {
            try {
                Files.deleteIfExists(group);
            } catch (IOException busy) {
                // what is in it ends by itself, and it is removed when the platform starts again
            }
        }

        void killAll(UUID workspaceId) {
            Path processes = folder.resolve(workspaceId.toString()).resolve("cgroup.procs");
            try {
                for (int i = 0; i < KILL_ROUNDS; i++) {
                    var left = Files.readAllLines(processes);
                    if (left.isEmpty()) {
                        return;
                    }
                    left.forEach(
                            pid -> ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly));
                    Thread.sleep(KILL_ROUND);
                }
            } catch (IOException noGroup) {
                // nothing ran
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        boolean ranOutOfMemory(UUID workspaceId) {
            Path group = folder.resolve(workspaceId.toString());
            return Stream.of("memory.events", "memory.oom_control")
                    .map(group::resolve)
                    .flatMap(Cgroup::linesOf)
                    .anyMatch(line -> line.startsWith("oom_kill ") && !line.equals("oom_kill 0"));
        }

        private static Stream<String> linesOf(Path file) {
            try {
                return Files.readAllLines(file).stream();
            } catch (IOException ofTheOtherVersion) {
                return Stream.empty();
            }
        }

        @Override
        public String toString() {
            return folder.toString();
        }
    }
}
