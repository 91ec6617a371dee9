package ai.molecule.provisioner.organisations;

import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.imports.ImportKey;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What {@code POST /org/import} is asked: the first that is given of {@code dir} (of the platform's own folder), {@code files} (a
 * whole folder, texts by path, {@code org.yaml} among them) and {@code template} (an organisation as JSON).
 *
 * @param force import although required variables are missing
 * @param start false: create the workspaces paused
 * @param tenant whose it is to be; null for nobody's
 * @param key for asking again
 */
record ImportRequest(
        @Nullable String dir,
        @Nullable Map<String, String> files,
        @Nullable JsonNode template,
        boolean force,
        boolean start,
        @Nullable String tenant,
        Optional<ImportKey> key) {

    static ImportRequest of(JsonBody body, @Nullable String tenant, @Nullable String key) {
        String dir = body.text("dir", "");
        return new ImportRequest(
                dir.isEmpty() ? null : dir,
                files(body),
                body.object("template"),
                body.flag("force", false),
                body.flag("start", true),
                tenant,
                ImportKey.of(key, Json.text(body.members()) + (tenant == null ? "" : " of " + tenant)));
    }

    private static @Nullable Map<String, String> files(JsonBody body) {
        var sent = body.object("files");
        if (sent == null) {
            return null;
        }
        Map<String, String> files = new LinkedHashMap<>();
        for (var file : sent.properties()) {
            if (!file.getValue().isTextual()) {
                throw body.bad();
            }
            files.put(file.getKey(), file.getValue().textValue());
        }
        return files;
    }
}
