package ai.molecule.provisioner.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.InitialFiles;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.VersionInfo;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a start finds in its volume, without another pod to put it there. */
@EnableKubernetesMockClient(crud = true, https = false)
@ExtendWith(VertxExtension.class)
class LayingInitialFilesTest {

    private static final String NAMESPACE = "molecule-agents";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temp;

    @SuppressWarnings("NullAway.Init") // by its extension
    KubernetesMockServer server;

    @SuppressWarnings("NullAway.Init")
    KubernetesClient client;

    @Test
    void a_start_needs_no_other_pod_for_its_files(Vertx vertx) {
        server.expect()
                .get()
                .withPath("/version")
                .andReturn(
                        200,
                        new VersionInfo.Builder().withMajor("1").withMinor("33").build())
                .always();
        try (var provisioning = new Provisioning(vertx, temp, ScriptedAgents.STEADY)
                .start(new KubernetesBackend(vertx, client, Pods.settings()))) {
            var id = provisioning.registry.create("echo");
            var name = new PodNames(id).name();

            await().until(() ->
                    client.pods().inNamespace(NAMESPACE).withName(name).get() != null);

            var pod = client.pods().inNamespace(NAMESPACE).withName(name).require();
            assertThat(pod.getSpec().getInitContainers())
                    .extracting(Container::getName)
                    .containsExactly("initial");
            assertThat(client.pods().inNamespace(NAMESPACE).list().getItems())
                    .extracting(Pod::getMetadata)
                    .extracting(found -> found.getName())
                    .containsExactly(name);
            assertThat(tarOf(id).toString(UTF_8)).contains("config.yaml");
        }
    }

    @Test
    void what_is_not_there_is_laid_and_what_is_there_stays() throws Exception {
        var configs = Files.createDirectories(temp.resolve("configs"));
        Files.writeString(configs.resolve("notes.md"), "mine");
        var initial = initial(Map.of(
                "notes.md",
                "theirs",
                "skills/a/run.sh",
                "#!/bin/sh\n",
                "sub/config.yaml",
                "x",
                "config.yaml",
                "name: a"));

        assertThat(lay(initial)).isEqualTo("0 ");

        assertThat(configs.resolve("notes.md")).hasContent("mine");
        assertThat(Files.isExecutable(configs.resolve("skills/a/run.sh"))).isTrue();
        assertThat(configs.resolve("config.yaml")).hasContent("name: a");
        assertThat(configs.resolve(".molecule-config")).doesNotExist();

        Files.delete(configs.resolve("notes.md"));
        Files.writeString(configs.resolve("config.yaml"), "its own");
        assertThat(lay(initial)).isEqualTo("0 ");
        assertThat(configs.resolve("notes.md")).doesNotExist();
        assertThat(configs.resolve("config.yaml")).hasContent("its own");
    }

    @Test
    void one_that_lost_its_config_and_has_no_template_says_so() throws Exception {
        var none = new InitialFiles(Map.of(), "cannot start workspace x: no config.yaml source", false);

        assertThat(lay(none)).isEqualTo("1 [FAIL] Config: cannot start workspace x: no config.yaml source\n");

        Files.writeString(temp.resolve("configs/config.yaml"), "there");
        assertThat(lay(none)).isEqualTo("0 ");
    }

    @Test
    void conversations_are_forgotten_when_asked_for() throws Exception {
        var session =
                Files.createDirectories(temp.resolve("home/.claude/sessions")).resolve("one");
        Files.writeString(session, "x");

        lay(initial(Map.of("config.yaml", "a")));
        assertThat(session).exists();
        lay(initial(Map.of("config.yaml", "a")).withFreshSessions(true));

        assertThat(session).doesNotExist();
    }

    @Test
    void what_is_too_large_for_an_object_of_the_cluster_does_not_travel_in_one() {
        assertThat(initial(Map.of("config.yaml", "a")).travelLight()).isTrue();
        assertThat(initial(Map.of("config.yaml", "a", "b", "x".repeat(1 << 20))).travelLight())
                .isFalse();
    }

    private byte[] bytesOf(UUID id) {
        return Base64.getDecoder()
                .decode(client.secrets()
                        .inNamespace(NAMESPACE)
                        .withName(new PodNames(id).initial())
                        .require()
                        .getData()
                        .get("files.tar"));
    }

    private Buffer tarOf(UUID id) {
        return Buffer.buffer(bytesOf(id));
    }

    private static InitialFiles initial(Map<String, String> texts) {
        Map<FilePath, Buffer> files = new LinkedHashMap<>();
        texts.forEach((path, text) -> files.put(FilePath.of(path), Buffer.buffer(text)));
        return new InitialFiles(files, null, false);
    }

    /** Exit code and output of the script, on a machine that has the tools of the image. */
    private String lay(InitialFiles initial) throws IOException, InterruptedException {
        var archive = temp.resolve("files.tar");
        var secret = new Manifests(Pods.settings()).initial(new PodNames(UUID.randomUUID()), initial);
        Files.write(archive, Base64.getDecoder().decode(secret.getData().get("files.tar")));
        var process = new ProcessBuilder(List.of("sh", "-c", Scripts.INITIAL));
        process.environment()
                .putAll(Map.of(
                        "CONFIGS_DIR",
                                Files.createDirectories(temp.resolve("configs")).toString(),
                        "HOME", Files.createDirectories(temp.resolve("home")).toString(),
                        "INITIAL", archive.toString(),
                        "FRESH_SESSIONS", initial.freshSessions() ? "1" : "",
                        "MISSING", orEmpty(initial.missing())));
        var running = process.start();
        assertThat(running.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return running.exitValue() + " " + new String(running.getInputStream().readAllBytes(), UTF_8);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
