package ai.molecule.provisioner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.containers.Tier;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What all processes of an agent may use together, where the machine lets us say so. */
@ExtendWith(VertxExtension.class)
class LimitingAgentsTest {

    /** Small enough to be filled at once. */
    private static final Tier TIER = new Tier(2, 48, 512, 64);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    private final UUID id = UUID.randomUUID();

    @AfterEach
    void endProcesses() {
        Processes.kill(id);
        Cgroups.ofThisMachine().delete(id);
    }

    @Test
    void a_tier_is_what_the_agents_group_is_held_to(Vertx vertx) {
        var process = limited(vertx, "echo started; while :; do sleep 0.1; done");

        await().untilAsserted(() -> assertThat(groupsOf(process)).allMatch(line -> line.endsWith("/" + id)));
        assertThat(Cgroups.ofThisMachine().hierarchies())
                .allSatisfy(hierarchy -> assertThat(Files.readAllLines(
                                hierarchy.folder().resolve(id.toString()).resolve("cgroup.procs")))
                        .contains(process.id()))
                .allSatisfy(hierarchy -> assertThat(
                                PosixFilePermissions.toString(Files.getPosixFilePermissions(hierarchy.folder())))
                        .as("no agent reads the ids of others there")
                        .isEqualTo("rwx--x--x"));
    }

    @Test
    void processes_that_take_too_much_memory_together_end_with_that_reason(Vertx vertx) {
        assumeTrue("memory");
        var backend = backend(vertx, "echo started; exec tail /dev/zero");
        var process = backend.start(launch()).await();

        backend.exitOf(process).await();

        await().untilAsserted(() ->
                assertThat(backend.describeExit(id, process).await()).isEqualTo("out of memory"));
    }

    @Test
    void what_an_agent_started_ends_with_it(Vertx vertx) {
        var backend = backend(vertx, "setsid sleep 1000 & echo $!; wait");
        assumeFalse(Cgroups.ofThisMachine().hierarchies().isEmpty(), "no cgroups here");
        var process = backend.start(launch()).await();
        await().until(() -> backend.logTail(id).await().matches("[0-9]+"));
        long left = Long.parseLong(backend.logTail(id).await());

        backend.stop(process).await();

        await().until(() ->
                ProcessHandle.of(left).filter(ProcessHandle::isAlive).isEmpty()
                        || LiveProcess.commandLine(left).orElse("").isEmpty());
    }

    @Test
    void where_groups_are_is_read_as_the_kernel_writes_it() {
        var mounts = new CgroupMounts(
                List.of(
                        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:7 - cgroup cgroup rw,cpu,cpuacct",
                        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
                        "40 31 0:34 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"),
                List.of("8:memory:/docker/abc/inner", "4:cpu,cpuacct:/user.slice", "0::/"));

        assertThat(mounts.groupsFor("molecule").stream()
                        .map(group -> group.folder().toString()))
                .containsExactly(
                        "/sys/fs/cgroup/memory/inner/molecule", "/sys/fs/cgroup/cpu,cpuacct/user.slice/molecule");
        assertThat(new CgroupMounts(List.of(), List.of()).groupsFor("molecule")).isEmpty();
    }

    @Test
    void with_one_hierarchy_the_nearest_group_that_passes_limits_on_is_taken() throws IOException {
        Path scope = Files.createDirectories(data.resolve("user.slice/app.slice/run.scope"));
        control(scope, "", ""); // it has processes, so it offers nothing
        control(data.resolve("user.slice/app.slice"), "cpu memory pids", "cpu memory pids");
        control(data.resolve("user.slice"), "cpu memory pids", "cpu memory pids");
        var mounts = new CgroupMounts(
                List.of("30 1 0:26 / " + data + " rw - cgroup2 cgroup2 rw"),
                List.of("0::/user.slice/app.slice/run.scope"));

        assertThat(mounts.groupsFor("molecule").stream().map(group -> group.folder()))
                .containsExactly(data.resolve("user.slice/app.slice/molecule"));
    }

    private static void control(Path group, String offered, String passedOn) throws IOException {
        Files.writeString(group.resolve("cgroup.controllers"), offered + "\n");
        Files.writeString(group.resolve("cgroup.subtree_control"), passedOn + "\n");
    }

    private static void assumeTrue(String limit) {
        assumeFalse(
                Cgroups.ofThisMachine().hierarchies().stream()
                        .noneMatch(hierarchy -> hierarchy.settings().stream()
                                .anyMatch(setting -> setting.file().startsWith(limit))),
                "no cgroup limits " + limit + " here");
    }

    /** Those of the process that are ours to make. */
    private static List<String> groupsOf(AgentProcess process) throws IOException {
        var ours = Cgroups.ofThisMachine().hierarchies().isEmpty() ? "nothing" : "/molecule/";
        return Files.readAllLines(Path.of("/proc", process.id(), "cgroup")).stream()
                .filter(line -> line.contains(ours))
                .toList();
    }

    private AgentProcess limited(Vertx vertx, String script) {
        return backend(vertx, script).start(launch()).await();
    }

    private ProcessBackend backend(Vertx vertx, String script) {
        var plain = Provisioning.settings(data);
        var settings = new ProcessSettings(
                data,
                null,
                plain.platformUrl(),
                plain.agentHost(),
                null,
                plain.path(),
                plain.lang(),
                plain.heartbeat(),
                plain.stopGrace(),
                null,
                List.of(TIER, TIER, TIER, TIER),
                true);
        return new ProcessBackend(vertx, settings, ScriptedAgents.script(script));
    }

    private Launch launch() {
        var workspace = WorkspaceBuilder.workspace(id).build();
        return new Launch(workspace, 20_002, "the-token", Map.of());
    }
}
