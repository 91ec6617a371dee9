package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.memories.InitialMemories;
import ai.molecule.registry.memories.NewMemory;
import ai.molecule.registry.secrets.Secret;
import ai.molecule.registry.workspaces.Workspace.Place;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace to be created, checked.
 *
 * @param external whether its agent runs elsewhere; then the platform starts nothing
 * @param url of an external agent; empty when it has yet to connect
 * @param sourceBundleId of the bundle it is made from
 * @param agentCard as JSON text; null until its agent registers, but for one made from a bundle
 * @param start whether an agent of ours is wanted to run at once; otherwise the workspace is paused
 */
public record NewWorkspace(
        UUID id,
        String name,
        @Nullable String role,
        @Nullable UUID parentId,
        int tier,
        String runtime,
        @Nullable String model,
        @Nullable String template,
        boolean external,
        String url,
        @Nullable String workspaceDir,
        String workspaceAccess,
        @Nullable Long budgetLimit,
        int maxConcurrentTasks,
        Place place,
        List<NewMemory> initialMemories,
        List<Secret> secrets,
        @Nullable String sourceBundleId,
        @Nullable String agentCard,
        boolean start) {

    private static final int BUNDLE_ID_MAX = 255;
    private static final int TIER_DEFAULT = 3;
    private static final String RUNTIME_DEFAULT = "langgraph";

    /** The same, standing elsewhere. */
    NewWorkspace at(Place there) {
        return new NewWorkspace(
                id,
                name,
                role,
                parentId,
                tier,
                runtime,
                model,
                template,
                external,
                url,
                workspaceDir,
                workspaceAccess,
                budgetLimit,
                maxConcurrentTasks,
                there,
                initialMemories,
                secrets,
                sourceBundleId,
                agentCard,
                start);
    }

    /** Reads the body of {@code POST /workspaces}; fails with INVALID and the contract's texts. */
    static NewWorkspace of(JsonBody body, UUID id) {
        String runtime = body.text("runtime", "");
        boolean external = body.flag("external", false) || Workspace.EXTERNAL.equals(runtime);
        var created = new NewWorkspace(
                id,
                body.requiredText("name"),
                emptyToNull(body.text("role")),
                parentOf(body),
                tierOf(body.int32("tier", 0)),
                runtimeOf(external, runtime),
                emptyToNull(body.text("model")),
                emptyToNull(body.text("template")),
                external,
                external ? body.text("url", "") : "",
                emptyToNull(body.text("workspace_dir")),
                accessOf(body.text("workspace_access")),
                body.has("budget_limit") && body.node("budget_limit") != null ? body.integer("budget_limit", 0) : null,
                Math.max(1, body.int32("max_concurrent_tasks", 1)),
                placeOf(body),
                InitialMemories.of(body, id),
                Secret.manyOf(body),
                null,
                null,
                true);
        try {
            FieldRules.checkName(created.name);
            FieldRules.checkRole(created.role);
            created.checkFields();
        } catch (ApiError specific) {
            throw ApiError.invalid("invalid workspace fields");
        }
        created.checkFolders();
        return created;
    }

    /** One whose agent comes by invitation. */
    public static NewWorkspace invited(UUID id, String name, @Nullable String role, @Nullable UUID parentId, int tier) {
        return new NewWorkspace(
                id,
                name,
                role,
                parentId,
                tier,
                Workspace.EXTERNAL,
                null,
                null,
                true,
                "",
                null,
                "none",
                null,
                1,
                new Place(0, 0, false),
                List.of(),
                List.of(),
                null,
                null,
                true);
    }

    /** One of a batch; fails with INVALID and a text that says which rule it breaks. */
    static NewWorkspace of(CreateWorkspaces.Item item) {
        var agent = item.agent();
        String runtime = Objects.requireNonNullElse(agent.runtime(), "");
        boolean external = agent.external() || Workspace.EXTERNAL.equals(runtime);
        var created = new NewWorkspace(
                item.id(),
                item.name(),
                emptyToNull(item.role()),
                item.parentId(),
                tierOf(agent.tier()),
                runtimeOf(external, runtime),
                emptyToNull(agent.model()),
                emptyToNull(agent.template()),
                external,
                external ? Objects.requireNonNullElse(agent.url(), "") : "",
                emptyToNull(agent.workspaceDir()),
                accessOf(agent.workspaceAccess()),
                agent.budgetLimit(),
                Math.max(1, agent.maxConcurrentTasks()),
                new Place(item.x(), item.y(), false),
                InitialMemories.of(item.memories(), item.id()),
                Secret.manyOf(item.secrets()),
                emptyToNull(item.sourceBundleId()),
                item.agentCard() == null || item.agentCard().isNull() ? null : Json.text(item.agentCard()),
                item.start());
        FieldRules.checkStorable(
                created.name,
                created.role,
                created.runtime,
                created.model,
                created.template,
                created.url,
                created.workspaceDir,
                created.sourceBundleId);
        if (created.agentCard != null) {
            FieldRules.checkCard(created.agentCard);
        }
        FieldRules.checkNameLine(created.name);
        FieldRules.checkRoleLine(created.role);
        created.checkFields();
        created.checkFolders();
        return created;
    }

    String awarenessNamespace() {
        return "workspace:" + id;
    }

    WorkspaceStatus initialStatus() {
        if (!external) {
            return start ? WorkspaceStatus.PROVISIONING : WorkspaceStatus.PAUSED;
        }
        return url.isEmpty() ? WorkspaceStatus.AWAITING_AGENT : WorkspaceStatus.ONLINE;
    }

    Desired initiallyDesired() {
        return initialStatus() == WorkspaceStatus.PAUSED ? Desired.PAUSED : Desired.RUNNING;
    }

    private void checkFields() {
        FieldRules.checkModel(model);
        FieldRules.checkRuntime(runtime);
        if (budgetLimit != null && budgetLimit < 0) {
            throw ApiError.invalid("budget_limit must be >= 0 (USD cents)");
        }
        if (sourceBundleId != null && sourceBundleId.length() > BUNDLE_ID_MAX) {
            throw ApiError.invalid("bundle id must be at most %d characters".formatted(BUNDLE_ID_MAX));
        }
        if (!Double.isFinite(place.x()) || !Double.isFinite(place.y())) {
            throw ApiError.invalid("canvas coordinates must be numbers");
        }
    }

    private void checkFolders() {
        FieldRules.checkTemplate(template);
        FieldRules.checkWorkspaceDir(workspaceDir);
        boolean known = FieldRules.ACCESS.contains(workspaceAccess);
        if (!known || (!workspaceAccess.equals("none") && workspaceDir == null)) {
            throw ApiError.invalid("invalid workspace access");
        }
    }

    private static @Nullable UUID parentOf(JsonBody body) {
        String sent = body.text("parent_id");
        return sent == null ? null : Ids.find(sent).orElseThrow(body::bad);
    }

    private static int tierOf(int sent) {
        return sent == 0 ? TIER_DEFAULT : sent;
    }

    private static String runtimeOf(boolean external, String sent) {
        return external ? Workspace.EXTERNAL : sent.isEmpty() ? RUNTIME_DEFAULT : sent;
    }

    private static String accessOf(@Nullable String sent) {
        return sent == null || sent.isEmpty() ? "none" : sent;
    }

    private static Place placeOf(JsonBody body) {
        var canvas = body.object("canvas");
        if (canvas == null) {
            return new Place(0, 0, false);
        }
        return new Place(coordinate(canvas.get("x"), body), coordinate(canvas.get("y"), body), false);
    }

    private static double coordinate(@Nullable JsonNode node, JsonBody body) {
        if (node == null || node.isNull()) {
            return 0;
        }
        if (!node.isNumber() || !Double.isFinite(node.doubleValue())) {
            throw body.bad();
        }
        return node.doubleValue();
    }

    private static @Nullable String emptyToNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }
}
