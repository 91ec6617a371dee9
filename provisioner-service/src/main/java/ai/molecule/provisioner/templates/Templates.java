package ai.molecule.provisioner.templates;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.provisioner.ProvisionTimeouts;
import ai.molecule.common.bus.provisioner.TemplateRuntime;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.configs.ConfigFile;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;

/** The templates of this platform. */
public final class Templates {

    /** Below {@code CONFIGS_DIR}: what an organisation's workspaces were made from (registry contract, 11.3). */
    private static final String OF_ORGANISATIONS = "org-templates";

    /** Folders of that name belong to workspaces, not to templates. */
    private static final String WORKSPACE_PREFIX = "ws-";

    private final Vertx vertx;
    private final TemplateFolder folder;

    /** @param folder {@code CONFIGS_DIR}; it need not exist */
    public Templates(Vertx vertx, Path folder) {
        this.vertx = vertx;
        this.folder = new TemplateFolder(folder);
    }

    /** Those with a readable config, by id. */
    Future<List<Template>> list() {
        return blocking(() -> folder.list().stream()
                .filter(template -> template.settings().isPresent())
                .toList());
    }

    /** Fails with INVALID {@code invalid template} for a name that leads out of the folder. */
    public Future<Optional<Template>> find(String name) {
        return blocking(() -> folder.find(name));
    }

    /** {@code <runtime>-default}. */
    public Future<Optional<Template>> findDefault(String runtime) {
        return find(TemplateName.defaultFor(runtime));
    }

    /** {@code <runtime>} without more. */
    Future<Optional<Template>> findOfRuntime(String runtime) {
        return find(TemplateName.ofRuntime(runtime));
    }

    /** The one whose folder is named like the workspace, or else whose config is; with a config in any case. */
    public Future<Optional<Template>> findByWorkspaceName(String name) {
        return blocking(() -> named(folder, name));
    }

    /** The same among those of organisations; its id begins with {@code org-templates/}. */
    Future<Optional<Template>> findOfOrganisationByWorkspaceName(String name) {
        return blocking(() -> named(folder.below(OF_ORGANISATIONS), name)
                .map(found -> new Template(OF_ORGANISATIONS + "/" + found.id(), found.folder(), found.config())));
    }

    /** Every file of it, as an agent gets them. */
    public Future<Map<FilePath, Buffer>> filesOf(Template template) {
        return blocking(() -> TemplateFolder.filesOf(template));
    }

    /** One file of it, as an agent gets it; links lead nowhere. Fails with TOO_LARGE. */
    public Future<Optional<Buffer>> fileOf(Template template, FilePath file) {
        return filesOf(template).map(found -> Optional.ofNullable(found.get(file)));
    }

    /** Serves {@link TemplateRuntime}. */
    public Future<TemplateRuntime.Answer> runtimeOf(TemplateRuntime question) {
        return find(question.template()).map(found -> {
            var config = found.map(Template::config);
            return new TemplateRuntime.Answer(
                    config.flatMap(ConfigFile::runtime).orElse(null),
                    config.flatMap(ConfigFile::model).orElse(null));
        });
    }

    /** Serves {@link ProvisionTimeouts}. */
    public Future<ProvisionTimeouts.Answer> provisionTimeouts() {
        return list().map(found -> {
            Map<String, Long> longest = new TreeMap<>();
            for (var template : found) {
                template.provisionTimeoutSeconds()
                        .ifPresent(seconds -> longest.merge(template.runtime(), seconds, Math::max));
            }
            return new ProvisionTimeouts.Answer(longest);
        });
    }

    /** Appears whole or not at all; fails with CONFLICT {@code template already exists} and its {@code id}. */
    Future<Void> add(NewTemplate template) {
        return blocking(() -> {
            var target = folder.path().resolve(template.id());
            var aside = folder.path().resolve(".import-" + UUID.randomUUID());
            if (Files.exists(target)) {
                throw exists(template);
            }
            Files.createDirectories(aside);
            try {
                for (var file : template.files().entrySet()) {
                    var path = aside.resolve(file.getKey().toString());
                    Files.createDirectories(path.getParent());
                    Files.writeString(path, file.getValue());
                }
                Files.move(aside, target, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException failure) {
                deleteTree(aside);
                throw Files.exists(target) ? exists(template) : failure;
            }
            return null;
        });
    }

    private static Optional<Template> named(TemplateFolder folder, String name) throws IOException {
        String id = TemplateName.of(name);
        var candidates = folder.list().stream()
                .filter(template -> template.config() != null)
                .toList();
        return candidates.stream()
                .filter(template -> template.id().equals(id))
                .findFirst()
                .or(() -> candidates.stream()
                        .filter(template -> !template.id().startsWith(WORKSPACE_PREFIX)
                                && template.configuredName().equalsIgnoreCase(name))
                        .findFirst());
    }

    private static ApiError exists(NewTemplate template) {
        return new ApiError(ApiError.Kind.CONFLICT, "template already exists", Map.of("id", template.id()));
    }

    private static void deleteTree(Path root) throws IOException {
        try (var found = Files.walk(root)) {
            for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException gone) {
            // nothing to delete
        }
    }

    private <T> Future<T> blocking(Callable<T> work) {
        return vertx.executeBlocking(work, false);
    }
}
