package ai.molecule.provisioner.bundles;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.DescribeBranch.Member;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.InTurn;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles.Entry;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.organisations.AgentConfig;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** Writes a workspace and everything below it as a bundle. To be used once. */
final class BundleExport {

    /** Over all workspaces: what an import takes as its body. */
    private static final int BYTES_MAX = 7 * 1024 * 1024;

    private static final int FILES_MAX = 500;
    private static final int DEPTH = 5;

    private final Bus bus;
    private final Backend backend;
    private final Map<UUID, ObjectNode> written = new HashMap<>();
    private int bytes;

    BundleExport(Bus bus, Backend backend) {
        this.bus = bus;
        this.backend = backend;
    }

    /** Fails with NOT_FOUND {@code bundle not found} and with TOO_LARGE. */
    Future<ObjectNode> of(UUID workspaceId) {
        return bus.call(DescribeBranch.CONTRACT, new DescribeBranch(workspaceId))
                .map(DescribeBranch.Branch::members)
                .compose(members -> {
                    if (members.isEmpty()) {
                        return Future.failedFuture(ApiError.notFound("bundle not found"));
                    }
                    return InTurn.each(members, this::write).map(done -> assembled(members));
                });
    }

    private Future<Void> write(Member member) {
        var secrets = bus.call(SecretsFor.CONTRACT, new SecretsFor(member.id(), SecretsFor.Purpose.MASK));
        var files = member.external() ? Future.succeededFuture(Map.<FilePath, Buffer>of()) : configs(member.id());
        return Future.all(secrets, files).map(both -> {
            var scrubbing = new Scrubbing(secrets.result().values().values());
            Map<String, String> texts = new TreeMap<>();
            files.result()
                    .forEach((path, content) ->
                            text(content).ifPresent(text -> texts.put(path.toString(), scrubbing.of(text))));
            if (!member.external()) {
                texts.compute(
                        ConfigFile.PATH.toString(),
                        (path, text) -> text == null
                                ? generated(member)
                                : new ConfigFile(text)
                                        .withRuntime(member.runtime())); // another may have been chosen since
            }
            written.put(member.id(), bundle(member, texts, scrubbing));
            return null;
        });
    }

    private Future<Map<FilePath, Buffer>> configs(UUID id) {
        var files = backend.files();
        return files.list(id, Root.CONFIGS, FilePath.ROOT, DEPTH).compose(entries -> {
            var wanted = entries.stream()
                    .filter(entry -> !entry.directory() && !BundleFiles.isLeftOut(entry.path()))
                    .map(Entry::path)
                    .toList();
            if (wanted.size() > FILES_MAX) {
                return Future.failedFuture(tooLarge());
            }
            Map<FilePath, Buffer> read = new HashMap<>();
            return InTurn.each(
                            wanted,
                            path -> files.read(id, Root.CONFIGS, path).map(content -> {
                                content.ifPresent(there -> read.put(path, counted(there)));
                                return content;
                            }))
                    .map(read);
        });
    }

    private Buffer counted(Buffer content) {
        bytes += content.length();
        if (bytes > BYTES_MAX) {
            throw tooLarge();
        }
        return content;
    }

    private static ObjectNode bundle(Member member, Map<String, String> texts, Scrubbing scrubbing) {
        var bundle = Json.object()
                .put("schema", "1.0")
                .put("id", member.id().toString())
                .put("name", member.name())
                .put("description", member.role() == null ? "" : scrubbing.of(member.role()))
                .put("tier", member.tier())
                .put("model", "");
        BundleFiles.put(texts, bundle);
        bundle.putArray("sub_workspaces");
        bundle.set("agent_card", member.agentCard() == null ? null : scrubbing.of(member.agentCard()));
        bundle.put("author", "").put("version", "1.0.0");
        if (member.external()) {
            bundle.put("external", true).put("url", member.url());
        }
        if (member.idleMinutes() != null) {
            bundle.put("hibernation_idle_minutes", member.idleMinutes());
        }
        return member.maxConcurrentTasks() == 1
                ? bundle
                : bundle.put("max_concurrent_tasks", member.maxConcurrentTasks());
    }

    private ObjectNode assembled(List<Member> members) {
        var top = members.getFirst();
        for (var member : members) {
            var parent = member.parentId() == null || member.equals(top) ? null : written.get(member.parentId());
            if (parent != null) {
                parent.withArray("sub_workspaces").add(written.get(member.id()));
            }
        }
        return Objects.requireNonNull(written.get(top.id()));
    }

    /** One that never started has no config yet, but a runtime. */
    private static String generated(Member member) {
        return AgentConfig.plain(member.name(), member.role(), member.tier(), member.runtime(), member.model())
                .toYaml();
    }

    private static Optional<String> text(Buffer content) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content.getBytes()))
                    .toString());
        } catch (CharacterCodingException binary) {
            return Optional.empty();
        }
    }

    private static ApiError tooLarge() {
        return new ApiError(ApiError.Kind.TOO_LARGE, "the bundle would be too large");
    }
}
