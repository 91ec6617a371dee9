package ai.molecule.provisioner.bundles;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.CreateWorkspaces.Agent;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.imports.ImportedWorkspace;
import ai.molecule.provisioner.imports.WorkspaceImport;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Exports bundles and has them created. */
public record BundleService(Bus bus, Backend backend, WorkspaceImport imports) {

    Future<ObjectNode> export(UUID workspaceId) {
        return new BundleExport(bus, backend).of(workspaceId);
    }

    /** Creates the whole tree or nothing; fails with INVALID, and with UNAVAILABLE while too many imports run. Every workspace gets a new id, and no token. */
    Future<ObjectNode> create(JsonNode sent, @Nullable String tenant) {
        var bundle = Bundle.of(sent);
        List<ImportedWorkspace> planned = new ArrayList<>();
        List<SetIdleMinutes.One> idle = new ArrayList<>();
        plan(bundle, null, planned, idle);
        return imports.admit(() -> imports.run(planned, true, tenant)
                        .compose(error -> imports.setIdle(idle).map(unset -> error.or(() -> unset))))
                .map(error -> {
                    var left = planned.iterator();
                    return report(bundle, left, error);
                });
    }

    private void plan(
            Bundle bundle, @Nullable UUID parentId, List<ImportedWorkspace> planned, List<SetIdleMinutes.One> idle) {
        var id = UUID.randomUUID();
        if (bundle.idleMinutes() != null && !bundle.external()) {
            idle.add(new SetIdleMinutes.One(id, bundle.idleMinutes()));
        }
        var text = bundle.files().get(ConfigFile.PATH);
        var config = ConfigFile.of(text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8));
        requireFit(bundle, config);
        var agent = new Agent(
                config.runtime().orElse(null),
                config.model().orElse(null),
                bundle.tier(),
                null,
                bundle.external(),
                bundle.url(),
                null,
                null,
                null,
                bundle.maxConcurrentTasks());
        var item = new Item(
                id,
                parentId,
                bundle.name(),
                bundle.role(),
                agent,
                0,
                0,
                List.of(),
                Map.of(),
                bundle.id(),
                bundle.agentCard(),
                false);
        planned.add(new ImportedWorkspace(item, () -> buffers(bundle.files()), Map.of()));
        bundle.children().forEach(child -> plan(child, id, planned, idle));
    }

    private void requireFit(Bundle bundle, ConfigFile config) {
        if (bundle.external() || bundle.tier() == 0 || config.namesCommand()) {
            return;
        }
        config.runtime()
                .flatMap(runtime -> backend.tierRefusal(runtime, bundle.tier()))
                .ifPresent(refusal -> {
                    throw ApiError.invalid("workspace \"%s\": %s".formatted(bundle.name(), refusal));
                });
    }

    private static Map<FilePath, Buffer> buffers(Map<FilePath, String> files) {
        Map<FilePath, Buffer> buffers = new LinkedHashMap<>();
        files.forEach((path, text) -> buffers.put(path, Buffer.buffer(text)));
        return buffers;
    }

    /** {@code {"workspace_id", "name", "status", "error"?, "children"?}}, children likewise. */
    private static ObjectNode report(Bundle bundle, Iterator<ImportedWorkspace> left, Optional<String> error) {
        var report = Json.object()
                .put("workspace_id", left.next().item().id().toString())
                .put("name", bundle.name())
                .put("status", error.isPresent() ? "failed" : "provisioning");
        error.ifPresent(text -> report.put("error", text));
        for (var child : bundle.children()) {
            report.withArray("children").add(report(child, left, error));
        }
        return report;
    }
}
