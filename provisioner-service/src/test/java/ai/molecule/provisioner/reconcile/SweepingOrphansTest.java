package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.process.ProcessBackend;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the engine runs and keeps, compared with what is wanted, both ways. */
@ExtendWith(VertxExtension.class)
class SweepingOrphansTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path otherData;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    private final List<AgentProcess> spawned = new ArrayList<>();

    @BeforeEach
    void open(Vertx vertx) {
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY);
    }

    @AfterEach
    void close() {
        spawned.forEach(Processes::kill);
        provisioning.close();
    }

    @Test
    void a_process_without_a_record_whose_workspace_nobody_knows_is_stopped() {
        var id = provisioning.registry.create("echo");
        var process = spawn(provisioning.backend(), id);
        provisioning.registry.forget(id);

        provisioning.start();

        await().until(() -> !Processes.alive(process));
    }

    @Test
    void a_process_without_a_record_whose_workspace_is_paused_is_stopped() {
        var id = provisioning.registry.create("echo");
        var process = spawn(provisioning.backend(), id);
        provisioning.registry.pause(id);

        provisioning.start();

        await().until(() -> !Processes.alive(process));
        assertThat(provisioning.registry.get(id).desired()).isEqualTo(Desired.PAUSED);
    }

    @Test
    void a_wanted_process_without_a_record_is_replaced_by_one_with_a_record() {
        var id = provisioning.registry.create("echo");
        var process = spawn(provisioning.backend(), id);
        provisioning.registry.online(id);

        provisioning.start();

        await().until(() -> provisioning.pid(id) > 0);
        assertThat(Processes.alive(process)).isFalse();
        assertThat(provisioning.registry.get(id).incarnation()).isEqualTo(2);
        assertThat(Provisioning.processesOf(id)).isEqualTo(1);
    }

    @Test
    void a_record_without_a_process_is_restarted() {
        var id = provisioning.registry.create("echo");
        var process = spawn(provisioning.backend(), id);
        provisioning.instances.starting(id, 1, 20_001, Instant.now()).await();
        provisioning.instances.running(id, process, Instant.now()).await();
        provisioning.registry.online(id);
        Processes.kill(process);

        provisioning.start();

        await().until(() -> provisioning.instance(id).orElseThrow().incarnation() == 2 && provisioning.pid(id) > 0);
    }

    @Test
    void the_agents_of_another_platform_on_the_same_machine_are_none_of_our_business(Vertx vertx) {
        var id = provisioning.registry.create("echo");
        var theirs = spawn(new ProcessBackend(vertx, Provisioning.settings(otherData), ScriptedAgents.STEADY), id);
        provisioning.registry.forget(id);
        var ours = provisioning.registry.create("echo");

        provisioning.start();
        await().until(() -> provisioning.pid(ours) > 0);

        assertThat(provisioning.backend().findAll().await()).containsOnlyKeys(ours);
        assertThat(Processes.alive(theirs)).isTrue();
    }

    @Test
    void a_folder_nobody_knows_is_deleted_after_its_time_and_not_before() throws IOException {
        var id = UUID.randomUUID();
        var folder = Files.createDirectories(data.resolve("workspaces/" + id + "/configs"));
        var foreign = Files.createDirectories(data.resolve("workspaces/lost+found"));
        provisioning.start();

        await().until(() -> provisioning.instance(id).isPresent());
        assertThat(provisioning.instance(id).orElseThrow().state()).isEqualTo(State.STOPPED);
        assertThat(folder).exists();
        provisioning
                .instances
                .stopped(id, Instant.now().minus(Duration.ofDays(20)))
                .await();
        sweepOnce();
        assertThat(folder).exists();
        provisioning
                .instances
                .stopped(id, Instant.now().minus(Duration.ofDays(22)))
                .await();

        await().until(() -> provisioning.instance(id).isEmpty());
        assertThat(folder.getParent()).doesNotExist();
        assertThat(foreign).exists();
    }

    @Test
    void folders_of_many_that_the_database_does_not_list_are_kept_until_a_person_looks() throws IOException {
        var ids = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());
        for (UUID id : ids) {
            Files.createDirectories(data.resolve("workspaces/" + id + "/configs"));
        }
        provisioning.start();
        for (UUID id : ids) {
            await().until(() -> provisioning.instance(id).isPresent());
        }
        stoppedLongAgo(ids);
        sweepOnce();

        assertThat(provisioning.sweeps().ok()).isFalse();
        assertThat(provisioning.sweeps().says()).contains("agents that have files here are in no row of this database");
        assertThat(ids).allMatch(id -> Files.exists(data.resolve("workspaces/" + id)));

        deleteByHand(ids.getFirst());

        await().until(() -> provisioning.sweeps().ok());
        sweepOnce();
        var left = ids.subList(1, ids.size());
        assertThat(left).as("their time begins again").allMatch(id -> Files.exists(data.resolve("workspaces/" + id)));

        stoppedLongAgo(ids);

        await().until(() ->
                ids.stream().noneMatch(id -> provisioning.instance(id).isPresent()));
        assertThat(ids).noneMatch(id -> Files.exists(data.resolve("workspaces/" + id)));
        await().until(() -> provisioning.sweeps().ok());
    }

    @Test
    void the_folder_of_a_workspace_that_somebody_deleted_for_good_goes_at_once(Vertx vertx) {
        provisioning.start();
        var id = provisioning.running();
        var folder = data.resolve("workspaces/" + id);
        assertThat(folder).exists();
        provisioning.registry.forget(id);

        new Bus(vertx).publish(WorkspacesPurged.HINT, new WorkspacesPurged(List.of(id)));

        await().until(() -> provisioning.instance(id).isEmpty());
        assertThat(folder).doesNotExist();
    }

    @Test
    void the_folder_of_a_workspace_that_was_removed_before_its_first_start_is_deleted() throws IOException {
        var id = provisioning.registry.create("echo");
        provisioning.registry.remove(id);
        var folder = Files.createDirectories(data.resolve("workspaces/" + id + "/configs"));

        provisioning.start();

        await().until(() -> !Files.exists(folder.getParent()));
        await().until(() -> provisioning.instance(id).isEmpty());
    }

    @Test
    void the_folder_of_a_workspace_that_runs_by_hand_is_left_alone() throws IOException {
        var byHand = provisioning.registry.create("echo");
        provisioning.registry.online(byHand);
        var folder = Files.createDirectories(data.resolve("workspaces/" + byHand + "/configs"));
        provisioning.start();

        var later = provisioning.registry.create("echo");
        await().until(() -> provisioning.pid(later) > 0);

        assertThat(provisioning.instance(byHand)).isEmpty();
        assertThat(folder).exists();
    }

    /** Until one that began after this call has gone through: each new workspace is started by another, one after the other. */
    private void stoppedLongAgo(List<UUID> ids) {
        for (UUID id : ids) {
            provisioning
                    .instances
                    .stopped(id, Instant.now().minus(Duration.ofDays(40)))
                    .await();
        }
    }

    private void sweepOnce() {
        for (int sweep = 0; sweep < 3; sweep++) {
            var later = provisioning.registry.create("echo");
            await().until(() -> provisioning.pid(later) > 0);
        }
    }

    private void deleteByHand(UUID id) throws IOException {
        Files.delete(data.resolve("workspaces/" + id + "/configs"));
        Files.delete(data.resolve("workspaces/" + id));
    }

    /** As a provisioner does that dies before it has told anybody. */
    private AgentProcess spawn(ProcessBackend backend, UUID id) {
        backend.files()
                .write(id, Root.CONFIGS, Map.of(ConfigFile.PATH, Buffer.buffer("runtime: echo\n")))
                .await();
        var launch = new Launch(provisioning.registry.get(id), 20_001, "token", Map.of());
        var process = backend.start(launch).await();
        spawned.add(process);
        return process;
    }
}
