package ai.molecule.provisioner.teams;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.CollapseWorkspace;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces.Agent;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.templates.Template;
import ai.molecule.provisioner.templates.Templates;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the team a template names, and takes it away again (registry contract, 5.8). */
public final class TeamService {

    private static final Logger LOGGER = LoggerFactory.getLogger(TeamService.class);

    /** How long a collapse waits for the processes to end. The reconciler goes on after it. */
    private static final Duration COLLAPSE_MAX = Duration.ofSeconds(15);

    private static final int PAGE = 500;

    private final Bus bus;
    private final Templates templates;
    private final Backend backend;
    private final Function<UUID, Future<Void>> reconcile;
    private final int childrenMax;

    /** Who is being expanded: two at once would each count without the other. */
    private final Set<UUID> expanding = ConcurrentHashMap.newKeySet();

    /**
     * @param backend which may know of the team's tier that it is too small for a member
     * @param reconcile completes when the workspace was looked at and acted upon
     * @param childrenMax {@code MOLECULE_CHILDREN_MAX}: how many agents of ours may stand below one for it to be expanded
     */
    public TeamService(
            Bus bus, Templates templates, Backend backend, Function<UUID, Future<Void>> reconcile, int childrenMax) {
        this.bus = bus;
        this.templates = templates;
        this.backend = backend;
        this.reconcile = reconcile;
        this.childrenMax = childrenMax;
    }

    /** The members, which are created and on their way to start. Fails with CONFLICT when they would be too many. */
    Future<List<Item>> expand(UUID workspaceId) {
        if (!expanding.add(workspaceId)) {
            return Future.failedFuture(ApiError.conflict("workspace is being expanded"));
        }
        return create(workspaceId).onComplete(done -> expanding.remove(workspaceId));
    }

    private Future<List<Item>> create(UUID workspaceId) {
        return find(workspaceId)
                .compose(parent -> templates
                        .findByWorkspaceName(parent.name())
                        .map(found -> found.map(Template::config)
                                .orElseThrow(() -> ApiError.invalid("no config found for workspace")))
                        .map(config -> TeamMember.in(config.text()))
                        .compose(members ->
                                requireRoom(workspaceId, members.size()).compose(room -> items(parent, members))))
                .compose(items -> bus.call(CreateWorkspaces.CONTRACT, new CreateWorkspaces(items, workspaceId))
                        .map(created -> items));
    }

    /** The names of those directly below, once nothing of the team runs any more. @param ofBranch see {@link CollapseWorkspace} */
    Future<List<String>> collapse(UUID workspaceId, boolean ofBranch) {
        return bus.call(CollapseWorkspace.CONTRACT, new CollapseWorkspace(workspaceId, ofBranch))
                .compose(collapsed -> Future.join(
                                collapsed.removed().stream().map(reconcile).toList())
                        .timeout(COLLAPSE_MAX.toMillis(), TimeUnit.MILLISECONDS)
                        .onFailure(late -> LOGGER.atWarn()
                                .addKeyValue("workspaceId", workspaceId)
                                .addKeyValue("reason", late.toString())
                                .log("collapsed, but not every process is known to have stopped yet"))
                        .transform(stopped -> Future.succeededFuture(collapsed.children())));
    }

    private Future<ManagedWorkspace> find(UUID workspaceId) {
        return bus.call(ListManaged.CONTRACT, ListManaged.one(workspaceId))
                .map(page -> page.workspaces().stream()
                        .filter(workspace -> workspace.desired() != Desired.REMOVED)
                        .findFirst()
                        .orElseThrow(() -> ApiError.notFound("workspace not found")));
    }

    private Future<Void> requireRoom(UUID parentId, int more) {
        return children(parentId, null, 0).map(there -> {
            if (there + more > childrenMax) {
                throw ApiError.conflict("workspace has %d children and may have %d".formatted(there, childrenMax));
            }
            return null;
        });
    }

    /** Counted page by page. */
    private Future<Integer> children(UUID parentId, @Nullable UUID after, int counted) {
        return bus.call(ListManaged.CONTRACT, new ListManaged(null, after, PAGE))
                .compose(page -> {
                    var found = page.workspaces();
                    int more = (int) found.stream()
                            .filter(each -> parentId.equals(each.parentId()) && each.desired() != Desired.REMOVED)
                            .count();
                    return found.size() < PAGE
                            ? Future.succeededFuture(counted + more)
                            : children(parentId, found.getLast().id(), counted + more);
                });
    }

    private Future<List<Item>> items(ManagedWorkspace parent, List<TeamMember> members) {
        var all = members.stream().map(member -> item(parent, member)).toList();
        return Future.all(all).map(made -> made.<Item>list());
    }

    private Future<Item> item(ManagedWorkspace parent, TeamMember member) {
        Future<Optional<Template>> template =
                member.config().isEmpty() ? Future.succeededFuture(Optional.empty()) : templates.find(member.config());
        return template.map(found -> new Item(
                UUID.randomUUID(),
                parent.id(),
                member.name(),
                member.role(),
                agent(parent, found),
                0,
                0,
                List.of(),
                Map.of(),
                null,
                true));
    }

    /** As its template says; one that is not there leaves the defaults. */
    private Agent agent(ManagedWorkspace parent, Optional<Template> template) {
        var config = template.map(Template::config);
        config.filter(own -> !own.namesCommand())
                .flatMap(ConfigFile::runtime)
                .flatMap(runtime -> backend.tierRefusal(runtime, parent.tier()))
                .ifPresent(refusal -> {
                    throw ApiError.invalid(refusal);
                });
        return new Agent(
                config.flatMap(ConfigFile::runtime).orElse(null),
                config.flatMap(ConfigFile::model).orElse(null),
                parent.tier(),
                template.map(Template::id).orElse(null),
                false,
                null,
                null,
                null,
                null,
                1);
    }
}
