package ai.molecule.provisioner.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.ModelKey;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What every backend does. */
public abstract class BackendContract extends BackendFixture {

    /** Ends it as if by somebody else. */
    protected abstract void kill(AgentProcess process) throws Exception;

    /** Whatever the engine or the disk still has of the workspace, one word each. */
    protected abstract Set<String> leftOf(UUID workspaceId) throws Exception;

    /** Where the agent sees its token. */
    protected abstract String tokenFile();

    @Test
    void an_agent_runs_with_its_environment_its_token_and_its_secrets_as_they_are() {
        backend.ping().await();
        start(Map.of(
                "SCRIPT",
                "umask; stat -c %a \"$TOKEN_FILE\"; cat \"$TOKEN_FILE\"; echo; echo \"$ODD\"; echo \"$WORKSPACE_ID/$TIER/$MOLECULE_INCARNATION\";"
                        + " cat \"$CONFIGS_DIR\"/note; touch \"$CONFIGS_DIR\"/mine; echo over; sleep 60",
                "TOKEN_FILE",
                tokenFile(),
                "ODD",
                "a'b\"c $(id) `id` ${HOME} \\ ;&|",
                "LD_PRELOAD",
                "/evil.so"));

        awaitLog("over");
        assertThat(log().lines().skip(1))
                .startsWith("600", "the-token", "a'b\"c $(id) `id` ${HOME} \\ ;&|", id + "/2/3");
    }

    /** All that it can read: what is around it, what runs beside it, what lies in its folders, what its log shows. */
    @Test
    void no_providers_key_is_within_an_agents_reach() {
        String[] key = {"real-" + UUID.randomUUID(), "-of-a-provider"}; // whole nowhere but in what is given
        var secrets = new HashMap<>(ProvidersKeys.given(key[0] + key[1]));
        secrets.put("SCRIPT", """
                looked() { case "$2" in *"$first$second"*) echo "LEAKED $1" ;; *) echo "looked at $1" ;; esac; }
                first=%s
                second=%s
                looked variables "$(env)"
                looked processes "$(cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n')"
                looked files "$(find "$HOME" "$CONFIGS_DIR" "${MOLECULE_SECRETS_FILE:-$CONFIGS_DIR}" -xdev -type f -size -256k -exec cat {} + 2>/dev/null | tr '\\0' '\\n')"
                echo "key $ANTHROPIC_API_KEY"
                sleep 60
                """.formatted(key[0], key[1]));
        backend.files()
                .write(id, Root.CONFIGS, Map.of(FilePath.of("note"), Buffer.buffer("a note\n")))
                .await();
        var plain = launch(Map.of(), 2, 3);

        backend.start(AgentDefaults.NONE.launch(plain.workspace(), plain.port(), "the-token", secrets))
                .await();

        awaitLog("key sk-molecule-");
        assertThat(log().lines())
                .contains(
                        "looked at variables",
                        "looked at processes",
                        "looked at files",
                        "key " + ModelKey.of("the-token"));
        assertThat(log()).doesNotContain("LEAKED", key[0] + key[1]);
    }

    @Test
    void a_process_that_was_never_recorded_is_adopted_by_the_next_provisioner(Vertx vertx) throws Exception {
        var process = start(STEADY);
        var next = backend(vertx);

        assertThat(next.findAlive(id, null).await()).contains(process);
        assertThat(next.findAlive(id, process).await()).contains(process);
        assertThat(next.findAlive(UUID.randomUUID(), null).await()).isEmpty();
        assertThat(next.findAll().await()).containsEntry(id, process);
    }

    /** Engines name containers and pods by twelve characters of an id, and whoever registers chooses an id. */
    @Test
    void one_whose_id_begins_like_an_agents_reaches_nothing_of_it() {
        var process = start(STEADY);
        awaitLog("started");
        var note = FilePath.of("note");
        var alike = UUID.fromString(
                id.toString().substring(0, 12) + UUID.randomUUID().toString().substring(12));

        assertThat(backend.findAlive(alike, null).await()).isEmpty();
        assertThat(backend.logTail(alike).await()).isEmpty();
        var read = backend.files().read(alike, Root.CONFIGS, note);
        assertThat(read.map(String::valueOf).otherwise("refused").await()).doesNotContain("a note");
        backend.delete(alike).await();

        assertThat(backend.findAlive(id, process).await()).contains(process);
        assertThat(backend.files().read(id, Root.CONFIGS, note).await()).hasToString("Optional[a note\n]");
    }

    @Test
    void an_agent_stops_when_told_to() {
        var process = start("trap 'echo bye; exit 0' TERM; echo started; while :; do sleep 0.1; done");
        awaitLog("started");
        var exit = backend.exitOf(process);

        backend.stop(process).await();

        exit.await();
        assertThat(backend.findAlive(id, process).await()).isEmpty();
        assertThat(backend.findAlive(id, null).await()).isEmpty();
        assertThat(backend.findAll().await()).doesNotContainKey(id);
        backend.stop(process).await(); // again
    }

    @Test
    void an_agent_that_ignores_the_word_is_killed() {
        var process = start("trap '' TERM; echo deaf; while :; do sleep 0.1; done");
        awaitLog("deaf");

        backend.stop(process).await();

        assertThat(backend.findAlive(id, process).await()).isEmpty();
    }

    @Test
    void an_end_by_itself_is_noticed_and_described() {
        var process = start("echo '[FAIL] no model key'; exit 3");

        backend.exitOf(process).await();

        await().untilAsserted(() ->
                assertThat(backend.describeExit(id, process).await()).isEqualTo("exit code 3"));
        assertThat(backend.findAlive(id, process).await()).isEmpty();
        assertThat(log()).isEqualTo("[FAIL] no model key");
    }

    @Test
    void a_kill_by_somebody_else_is_noticed_and_described() throws Exception {
        var process = start(STEADY);
        awaitLog("started");
        var exit = backend.exitOf(process);

        kill(process);

        exit.await();
        await().untilAsserted(() ->
                assertThat(backend.describeExit(id, process).await()).contains("SIGKILL"));
    }

    @Test
    void the_next_start_begins_with_an_empty_log_and_the_same_folders() {
        var first = start("echo one; echo kept > \"$CONFIGS_DIR\"/kept");
        backend.exitOf(first).await();
        awaitLog("one");

        var second = start("cat \"$CONFIGS_DIR\"/kept; sleep 60");

        awaitLog("kept");
        assertThat(log()).isEqualTo("kept");
        assertThat(second).isNotEqualTo(first);
        assertThat(backend.findAlive(id, first).await()).isEmpty();
    }

    @Test
    void a_log_is_told_within_its_bounds_and_without_what_a_terminal_obeys() {
        var process = start("i=0; while [ $i -lt 300 ]; do echo \"line $i $(head -c 400 /dev/zero | tr '\\0' x)\";"
                + " i=$((i+1)); done; printf 'a\\033[31mred\\n'");
        backend.exitOf(process).await();
        awaitLog("red");

        assertThat(log()).endsWith("a [31mred");
        assertThat(log().lines().count()).isLessThanOrEqualTo(20);
        assertThat(log().length()).isLessThanOrEqualTo(4096);
    }

    @Test
    void deleting_leaves_nothing_and_may_be_repeated() throws Exception {
        var process = start(
                "echo x > \"$HOME\"/x; echo y > \"$CONFIGS_DIR\"/y; ln -s / \"$CONFIGS_DIR\"/root; echo done; sleep 60");
        awaitLog("done");
        backend.stop(process).await();
        assertThat(leftOf(id)).isNotEmpty();
        assertThat(backend.findKept().await()).contains(id);

        backend.delete(id).await();
        backend.delete(id).await();

        assertThat(leftOf(id)).isEmpty();
        assertThat(backend.findKept().await()).doesNotContain(id);
        assertThat(backend.logTail(id).await()).isEmpty();
    }

    @Test
    void a_runtime_that_cannot_run_is_refused_in_one_sentence() {
        for (String runtime : new String[] {"../../etc", "x y", "", "echo;id"}) {
            assertThat(backend.refusal(runtime))
                    .map(StartRefused::error)
                    .hasValueSatisfying(
                            error -> assertThat(error).startsWith("runtime \"" + runtime + "\" cannot run here"));
        }
        assertThat(backend.refusal("echo")).isEmpty();
    }

    @Test
    void a_port_stays_with_its_workspace() {
        int port = backend.choosePort(null, Set.of()).await();

        assertThat(backend.choosePort(port, Set.of()).await()).isEqualTo(port);
        assertThat(backend.choosePort(port, Set.of(port)).await()).isNotEqualTo(port);
        assertThat(backend.url(id, port)).isEqualTo("http://127.0.0.1:" + port);
    }
}
