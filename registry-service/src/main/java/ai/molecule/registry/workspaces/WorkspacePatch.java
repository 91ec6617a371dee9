package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code PATCH} wants changed, checked whole before anything is applied. An absent field is null and stays as it is; an
 * empty optional clears.
 */
public record WorkspacePatch(
        @Nullable String name,
        @Nullable Optional<String> role,
        @Nullable Integer tier,
        @Nullable Optional<UUID> parent,
        @Nullable String runtime,
        @Nullable Optional<String> workspaceDir,
        @Nullable Boolean collapsed,
        @Nullable Boolean publicCard,
        @Nullable Double x,
        @Nullable Double y) {

    /** Higher tiers are privileged where {@code MOLECULE_ALLOW_PRIVILEGED} is set. */
    private static final int UNPRIVILEGED_TIER_MAX = 2;

    /** Fails with INVALID and the rule that was broken. */
    static WorkspacePatch of(JsonBody body) {
        String name = body.text("name");
        String runtime = body.text("runtime");
        boolean placed = body.node("x") != null && body.node("y") != null; // one without the other means nothing
        var patch = new WorkspacePatch(
                name,
                body.has("role") ? nonEmpty(body.text("role")) : null,
                body.node("tier") == null ? null : body.int32("tier", 0),
                body.has("parent_id") ? parentOf(body) : null,
                runtime,
                body.has("workspace_dir") ? nonEmpty(body.text("workspace_dir")) : null,
                body.node("collapsed") == null ? null : body.flag("collapsed", false),
                body.node("public_card") == null ? null : body.flag("public_card", false),
                placed ? body.number("x", 0) : null,
                placed ? body.number("y", 0) : null);
        patch.check();
        return patch;
    }

    /** Another parent alone; null makes a root. */
    static WorkspacePatch moveTo(@Nullable UUID parentId) {
        return new WorkspacePatch(null, null, null, Optional.ofNullable(parentId), null, null, null, null, null, null);
    }

    boolean needsRestart() {
        return workspaceDir != null;
    }

    /** The settings by which it gives the agent something of the machine: one of its folders, or a tier that may be privileged. */
    public List<String> settingsOfTheMachine() {
        List<String> settings = new ArrayList<>();
        if (tier != null && tier > UNPRIVILEGED_TIER_MAX) {
            settings.add("tier");
        }
        if (workspaceDir != null && workspaceDir.isPresent()) {
            settings.add("workspace_dir");
        }
        return settings;
    }

    /** The same without those, which stay as they are. */
    public WorkspacePatch withoutTheMachine() {
        var left = settingsOfTheMachine();
        return new WorkspacePatch(
                name,
                role,
                left.contains("tier") ? null : tier,
                parent,
                runtime,
                left.contains("workspace_dir") ? null : workspaceDir,
                collapsed,
                publicCard,
                x,
                y);
    }

    /** Whether anything is changed that only an administrator may change; what the refusal says. */
    Optional<String> asksAnAdministrator() {
        if (publicCard != null) {
            return Optional.of("only an administrator may make a card public or private");
        }
        return settingsOfTheMachine().isEmpty()
                ? Optional.empty()
                : Optional.of("only an administrator may set workspace_dir or a tier above 2");
    }

    private void check() {
        if (name != null) {
            FieldRules.checkName(name);
        }
        if (role != null) {
            FieldRules.checkRole(role.orElse(null));
        }
        if (runtime != null) {
            if (runtime.isEmpty()) {
                throw ApiError.invalid("runtime must not be empty");
            }
            FieldRules.checkRuntime(runtime);
        }
        if (workspaceDir != null) {
            FieldRules.checkWorkspaceDir(workspaceDir.orElse(null));
        }
    }

    /** The fields whose value this patch really changes, with their new values; what WORKSPACE_UPDATED tells. */
    ObjectNode changesTo(Workspace workspace) {
        Map<String, @Nullable Object> wanted = new LinkedHashMap<>();
        var place = workspace.place();
        note(wanted, "name", workspace.name(), name);
        noteOptional(wanted, "role", workspace.role(), role);
        note(wanted, "tier", workspace.tier(), tier);
        noteOptional(wanted, "parent_id", workspace.parentId(), parent);
        note(wanted, "runtime", workspace.runtime(), runtime);
        noteOptional(wanted, "workspace_dir", workspace.workspaceDir(), workspaceDir);
        note(wanted, "collapsed", place.collapsed(), collapsed);
        note(wanted, "public_card", workspace.publicCard(), publicCard);
        note(wanted, "x", place.x(), x);
        note(wanted, "y", place.y(), y);
        var changes = Json.object();
        wanted.forEach((field, value) -> changes.set(field, value(value)));
        return changes;
    }

    boolean moves(Workspace workspace) {
        return parent != null && !parent.equals(Optional.ofNullable(workspace.parentId()));
    }

    private static void note(
            Map<String, @Nullable Object> wanted, String field, Object before, @Nullable Object after) {
        if (after != null && !after.equals(before)) {
            wanted.put(field, after);
        }
    }

    private static void noteOptional(
            Map<String, @Nullable Object> wanted,
            String field,
            @Nullable Object before,
            @Nullable Optional<? extends Object> after) {
        if (after != null && !after.equals(Optional.ofNullable(before))) {
            wanted.put(field, after.orElse(null));
        }
    }

    private static JsonNode value(@Nullable Object value) {
        return value instanceof Double number ? Json.number(number) : Json.MAPPER.valueToTree(value);
    }

    private static Optional<String> nonEmpty(@Nullable String text) {
        return Optional.ofNullable(text).filter(value -> !value.isEmpty());
    }

    private static Optional<UUID> parentOf(JsonBody body) {
        String sent = body.text("parent_id");
        return sent == null ? Optional.empty() : Optional.of(Ids.find(sent).orElseThrow(body::bad));
    }
}
