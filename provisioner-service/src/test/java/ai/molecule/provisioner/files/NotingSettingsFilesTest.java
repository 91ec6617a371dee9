package ai.molecule.provisioner.files;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.WriteSettingsFiles;
import ai.molecule.common.bus.registry.NoteSettingsFile;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Files that are settings: each change of one over HTTP is told to the registry, which makes a version of it. */
@ExtendWith(VertxExtension.class)
class NotingSettingsFilesTest {

    private final List<String> noted = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    @SuppressWarnings("NullAway.Init")
    private Bus bus;

    private UUID id = UUID.randomUUID();

    @BeforeEach
    void start(Vertx vertx, @TempDir Path data) {
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start();
        client = provisioning.serve(provisioning.backend());
        bus = new Bus(vertx);
        id = provisioning.registry.create("Agent", "echo", null, null);
        provisioning.registry.pause(id);
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @Test
    void what_a_settings_file_held_and_holds_is_told_and_nothing_of_other_files() {
        listen();
        put("/files/config.yaml", "{\"content\":\"name: a\"}");
        put("/files/config.yaml", "{\"content\":\"name: b\"}");
        put("/files/config.yaml", "{\"content\":\"name: b\"}");
        put("/files", "{\"files\":{\"prompt.md\":\"be kind\",\"skills/x.md\":\"no setting\",\"data.bin\":\"1\"}}");
        put("/files/config.yaml?root=/workspace", "{\"content\":\"elsewhere\"}");
        send(HttpMethod.DELETE, "/files/prompt.md", "");

        assertThat(noted)
                .containsExactly(
                        "config.yaml null>name: a",
                        "config.yaml name: a>name: b",
                        "prompt.md null>be kind",
                        "prompt.md be kind>null");
    }

    @Test
    void a_file_is_written_although_nobody_notes_it() {
        put("/files/config.yaml", "{\"content\":\"name: a\"}");

        assertThat(send(HttpMethod.GET, "/files/config.yaml", "")).contains("\"content\":\"name: a\"");
    }

    @Test
    void the_registry_writes_earlier_ones_back() {
        bus.call(WriteSettingsFiles.CONTRACT, new WriteSettingsFiles(id, Map.of("config.yaml", "name: old")))
                .await();

        assertThat(send(HttpMethod.GET, "/files/config.yaml", "")).contains("\"content\":\"name: old\"");
    }

    private void listen() {
        bus.serve(NoteSettingsFile.CONTRACT, file -> {
                    noted.add("%s %s>%s".formatted(file.path(), file.before(), file.after()));
                    return Future.succeededFuture(new NoteSettingsFile.Noted(true));
                })
                .await();
    }

    private void put(String path, String body) {
        assertThat(send(HttpMethod.PUT, path, body)).startsWith("200 ");
    }

    private String send(HttpMethod method, String path, String body) {
        var request = client.request(method, "/workspaces/" + id + path);
        var response = (body.isEmpty() ? request.send() : request.sendBuffer(Buffer.buffer(body))).await();
        return response.statusCode() + " " + response.bodyAsString();
    }
}
