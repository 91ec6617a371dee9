package ai.molecule.provisioner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import ai.molecule.testkit.Waits;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** As root each agent is a user of its own, and what it can read is its own. */
@ExtendWith(VertxExtension.class)
class GivingAgentsUsersTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    private final UUID id = UUID.randomUUID();

    @AfterEach
    void endProcesses() {
        Processes.kill(id);
    }

    @Test
    @EnabledIf("isRoot")
    void one_that_cleared_its_environment_is_known_by_its_user(Vertx vertx) {
        var leaving = ScriptedAgents.script("env -i setsid sh -c 'while :; do sleep 0.1; done' & echo $!; exit 1");
        var backend = new ProcessBackend(vertx, withUsers(300_000), leaving);
        backend.start(launch()).await();
        var child = childOf(backend);

        backend.clear(id).await();

        assertThat(Processes.alive(child)).isFalse();
    }

    private long childOf(ProcessBackend backend) {
        await().until(() -> backend.logTail(id).await().matches("[0-9]+"));
        return Long.parseLong(backend.logTail(id).await());
    }

    @Test
    @EnabledIf("isRoot")
    void an_agent_is_a_user_of_its_own_and_reads_its_token_and_nobody_elses(Vertx vertx) throws IOException {
        var theirs = Files.createDirectories(data.resolve("workspaces/" + UUID.randomUUID() + "/configs"));
        Files.setPosixFilePermissions(theirs, PosixFilePermissions.fromString("rwx------"));
        var settings = withUsers(300_000);
        var script = "id -u; cat $CONFIGS_DIR/.auth_token; echo; ls " + theirs + " >/dev/null 2>&1 || echo closed; "
                + "echo x >mine && echo written";
        var backend = new ProcessBackend(vertx, settings, ScriptedAgents.script(script));

        backend.start(launch()).await();

        await().untilAsserted(
                        () -> assertThat(backend.logTail(id).await()).isEqualTo("320001\nthe-token\nclosed\nwritten"));
    }

    /** What its own token may do is write files and configs, {@code runtime_config.command} among them: all of that is in here. */
    @Test
    @EnabledIf("isRoot")
    void whatever_an_agent_is_made_to_run_reads_none_of_the_platforms_keys(Vertx vertx) throws IOException {
        var secrets = Files.createDirectories(data.resolve("secrets"));
        Files.setPosixFilePermissions(secrets, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(secrets.resolve("admin-token"), "the-platforms-own");
        var planted = "workspace/go.sh";
        var script = "until [ -x go.sh ]; do sleep 0.05; done; ./go.sh";
        var backend = new ProcessBackend(vertx, withUsers(300_000), ScriptedAgents.script(script));
        backend.start(launch()).await();

        backend.files()
                .write(
                        id,
                        Root.WORKSPACE,
                        Map.of(
                                FilePath.of("go.sh"),
                                Buffer.buffer("#!/bin/sh\nid -u; cat %s/admin-token 2>/dev/null || echo closed\n"
                                        .formatted(secrets))))
                .await();

        await().untilAsserted(() -> assertThat(backend.logTail(id).await()).isEqualTo("320001\nclosed"));
        assertThat(Files.getAttribute(data.resolve("workspaces/" + id).resolve(planted), "unix:uid"))
                .isEqualTo(320_001);
    }

    @Test
    @EnabledIf("isRoot")
    void what_is_put_there_while_it_runs_is_its_own(Vertx vertx) throws IOException {
        var script = "until cat .molecule/a/text && cat $PLUGINS_DIR/p/deep/x; do sleep 0.05; done 2>/dev/null";
        var backend = new ProcessBackend(vertx, withUsers(300_000), ScriptedAgents.script(script));
        backend.start(launch()).await();
        var folder = data.resolve("put");
        Files.writeString(Files.createDirectories(folder.resolve("deep")).resolve("x"), "plugin");
        var file = Files.writeString(data.resolve("put/text"), "uploaded ");

        backend.files().putFolder(id, Root.PLUGINS, FilePath.of("p"), folder).await();
        backend.files()
                .putFile(id, Root.WORKSPACE, FilePath.of(".molecule/a/text"), file)
                .await();

        await().untilAsserted(() -> assertThat(backend.logTail(id).await()).endsWith("uploaded plugin"));
    }

    @Test
    @EnabledIf("isRoot")
    void an_agent_has_a_tmp_of_its_own_and_sees_no_process_of_anybody_else(Vertx vertx) throws IOException {
        assumeTrue(
                PrivateMounts.ofThisMachine(Provisioning.settings(data).path()).available(), "needs to mount");
        String theirs = "molecule-" + id;
        String mine = "mine-" + id;
        var shared = Files.writeString(Path.of("/tmp", theirs), "theirs");
        var script = ("for d in /tmp /var/tmp /dev/shm; do ls $d/molecule-* 2>/dev/null; done; "
                        + "touch /tmp/%s && ls -d /dev/shm/%s; "
                        + "[ -e /proc/%d ] && echo seen; ls /proc | grep -c '^[0-9]' | grep -x '[1-9]' >/dev/null && echo few")
                .formatted(mine, mine, ProcessHandle.current().pid());
        var backend = new ProcessBackend(vertx, withUsers(300_000), ScriptedAgents.script(script));
        try {
            backend.start(launch()).await();
            await().untilAsserted(
                            () -> assertThat(backend.logTail(id).await()).isEqualTo("/dev/shm/" + mine + "\nfew"));
            assertThat(Path.of("/tmp", mine)).doesNotExist();

            new ProcessBackend(
                            vertx,
                            withUsers(300_000),
                            ScriptedAgents.script("echo again; ls /tmp/" + mine + "; " + script))
                    .start(launch())
                    .await();
            await().untilAsserted(() -> assertThat(backend.logTail(id).await())
                    .as("emptied at each start")
                    .matches("(?s)again\n[^\n]*/tmp/" + mine + "[^\n]+\n/dev/shm/" + mine + "\nfew"));
        } finally {
            Files.delete(shared);
        }
    }

    @Test
    @EnabledIf("isRoot")
    void an_agent_learns_no_id_of_another_from_the_folders(Vertx vertx) {
        var settings = withUsers(300_000);
        var script = "ls %s >/dev/null 2>&1 || echo closed; ls -d .".formatted(data.resolve("workspaces"));
        var backend = new ProcessBackend(vertx, settings, ScriptedAgents.script(script));

        backend.start(launch()).await();

        await().untilAsserted(() -> assertThat(backend.logTail(id).await()).isEqualTo("closed\n."));
    }

    /** It was another agent's, which has hidden something that would be taken for the new one. */
    @Test
    @EnabledIf("isRoot")
    void what_still_runs_as_a_user_ends_before_the_next_agent_gets_it(Vertx vertx) throws IOException {
        var hidden = new ProcessBuilder(
                        "setpriv", "--reuid=320001", "--regid=320001", "--clear-groups", "sleep", "1000")
                .start();
        var user = Path.of("/proc", String.valueOf(hidden.pid()));
        await().until(() -> Ownership.ownerOf(user) == 320_001);

        new ProcessBackend(vertx, withUsers(300_000), ScriptedAgents.STEADY)
                .start(launch())
                .await();

        assertThat(hidden.onExit()).succeedsWithin(Waits.PATIENCE);
    }

    /** So it cannot hold all ports of the other agents, nor the connections of a database, by one process. */
    @Test
    void a_process_of_an_agent_may_hold_a_bounded_number_of_files(Vertx vertx) {
        assumeTrue(
                Confinement.find("prlimit", Provisioning.settings(data).path()).isPresent(), "needs prlimit");
        var backend = backend(vertx, ScriptedAgents.script("ulimit -Hn"));

        backend.start(launch()).await();

        await().untilAsserted(() -> assertThat(backend.logTail(id).await()).matches("[0-9]+"));
        assertThat(Integer.parseInt(backend.logTail(id).await())).isLessThanOrEqualTo(4096);
    }

    @Test
    @EnabledIf("isRoot")
    void an_agent_that_was_a_user_of_its_own_reads_its_files_as_ours_again(Vertx vertx) {
        var script = "cat $CONFIGS_DIR/.auth_token; cat $CONFIGS_DIR/config.yaml";
        var apart = new ProcessBackend(vertx, withUsers(300_000), ScriptedAgents.script(script));
        apart.files()
                .write(id, Root.CONFIGS, Map.of(FilePath.of("config.yaml"), Buffer.buffer(" config")))
                .await();
        apart.start(launch()).await();
        await().untilAsserted(() -> assertThat(apart.logTail(id).await()).isEqualTo("the-token config"));

        backend(vertx, ScriptedAgents.script("echo again; " + script))
                .start(launch())
                .await();

        await().untilAsserted(() -> assertThat(apart.logTail(id).await()).isEqualTo("again\nthe-token config"));
    }

    @Test
    @EnabledIf("isRoot")
    void a_file_of_the_machine_that_an_agent_linked_does_not_become_its_own(Vertx vertx) throws IOException {
        var theirs = Files.writeString(data.resolve("shadow"), "hush");
        var folder = Files.createDirectories(data.resolve("workspaces/" + id + "/workspace"));
        Files.createLink(folder.resolve("hard"), theirs);

        new ProcessBackend(vertx, withUsers(300_000), ScriptedAgents.STEADY)
                .start(launch())
                .await();

        assertThat(Files.getAttribute(theirs, "unix:uid")).isEqualTo(0);
        assertThat(Files.getAttribute(folder, "unix:uid")).isEqualTo(320_001);
    }

    @Test
    @EnabledIf("isRoot")
    void what_its_user_cannot_reach_refuses_the_start_and_is_named(Vertx vertx) throws IOException {
        var home = Files.createDirectories(data.resolve("home"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
        var plain = withUsers(300_000);
        var settings = new ProcessSettings(
                home.resolve("data"),
                null,
                plain.platformUrl(),
                plain.agentHost(),
                null,
                plain.path(),
                plain.lang(),
                plain.heartbeat(),
                plain.stopGrace(),
                300_000,
                plain.tiers(),
                false);
        var backend = new ProcessBackend(vertx, settings, ScriptedAgents.STEADY);

        assertThatThrownBy(() -> backend.start(launch()).await())
                .hasMessage("workspace start failed: its own user cannot reach " + home.resolve("data")
                        + ": let everybody pass the folders above it, or move it");
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private ProcessBackend backend(Vertx vertx, AgentCommand command) {
        return new ProcessBackend(vertx, Provisioning.settings(data), command);
    }

    private ProcessSettings withUsers(int first) {
        var plain = Provisioning.settings(data);
        return new ProcessSettings(
                data,
                null,
                plain.platformUrl(),
                plain.agentHost(),
                null,
                plain.path(),
                plain.lang(),
                plain.heartbeat(),
                plain.stopGrace(),
                first,
                plain.tiers(),
                false);
    }

    private Launch launch() {
        return new Launch(WorkspaceBuilder.workspace(id).incarnation(3).build(), 20_001, "the-token", Map.of());
    }
}
