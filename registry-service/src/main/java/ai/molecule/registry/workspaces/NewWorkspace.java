package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.memories.InitialMemories;
import ai.molecule.registry.memories.NewMemory;
import ai.molecule.registry.secrets.Secret;
import ai.molecule.registry.workspaces.Workspace.Place;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace to be created, checked.
 *
 * @param external whether its agent runs elsewhere; then the platform starts nothing
 * @param url of an external agent; empty when it has yet to connect
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
        List<Secret> secrets) {

    private static final int TIER_DEFAULT = 3;
    private static final String RUNTIME_DEFAULT = "langgraph";

    /** Reads the body of {@code POST /workspaces}; fails with INVALID and the contract's texts. */
    static NewWorkspace of(JsonBody body, UUID id) {
        String runtime = body.text("runtime", "");
        boolean external = body.flag("external", false) || Workspace.EXTERNAL.equals(runtime);
        var created = new NewWorkspace(
                id,
                body.requiredText("name"),
                emptyToNull(body.text("role")),
                parentOf(body),
                body.int32("tier", 0) == 0 ? TIER_DEFAULT : body.int32("tier", 0),
                external ? Workspace.EXTERNAL : runtime.isEmpty() ? RUNTIME_DEFAULT : runtime,
                emptyToNull(body.text("model")),
                emptyToNull(body.text("template")),
                external,
                external ? body.text("url", "") : "",
                emptyToNull(body.text("workspace_dir")),
                accessOf(body),
                body.has("budget_limit") && body.node("budget_limit") != null ? body.integer("budget_limit", 0) : null,
                Math.max(1, body.int32("max_concurrent_tasks", 1)),
                placeOf(body),
                InitialMemories.of(body, id),
                Secret.manyOf(body));
        created.check();
        return created;
    }

    String awarenessNamespace() {
        return "workspace:" + id;
    }

    WorkspaceStatus initialStatus() {
        if (!external) {
            return WorkspaceStatus.PROVISIONING;
        }
        return url.isEmpty() ? WorkspaceStatus.AWAITING_AGENT : WorkspaceStatus.ONLINE;
    }

    private void check() {
        try {
            FieldRules.checkName(name);
            FieldRules.checkRole(role);
            FieldRules.checkModel(model);
            FieldRules.checkRuntime(runtime);
        } catch (ApiError specific) {
            throw ApiError.invalid("invalid workspace fields");
        }
        if (budgetLimit != null && budgetLimit < 0) {
            throw ApiError.invalid("invalid workspace fields");
        }
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

    private static String accessOf(JsonBody body) {
        String sent = body.text("workspace_access", "");
        return sent.isEmpty() ? "none" : sent;
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
