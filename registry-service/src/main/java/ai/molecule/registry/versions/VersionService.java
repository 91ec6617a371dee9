package ai.molecule.registry.versions;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.WriteSettingsFiles;
import ai.molecule.common.bus.registry.NoteSettingsFile;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.budgets.PgBudgetStore;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.secrets.PgSecretStore;
import ai.molecule.registry.workspaces.PgWorkspaceStore;
import ai.molecule.registry.workspaces.WorkspacePatch;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Versions of settings, and the way back: files first, which may fail and then change nothing, then everything else at once. */
public record VersionService(
        Database database,
        PgVersionStore versions,
        PgWorkspaceStore workspaces,
        PgSecretStore secrets,
        PgBudgetStore budgets,
        Announcements announcements,
        Bus bus,
        Clock clock) {

    private static final String BUDGET_LIMIT = "budget_limit";

    /** What an agent knows of only when it starts. */
    private static final Set<String> AT_THE_START = Set.of("tier", "runtime", "workspace_dir", "files");

    /**
     * What going back did.
     *
     * @param n the newest version now
     * @param missingSecrets names that the version had and that have no value now
     */
    record Restored(int n, boolean needsRestart, List<String> missingSecrets) {}

    /** Newest first; NOT_FOUND for an unknown or removed workspace. */
    Future<List<Version>> list(UUID workspaceId, @Nullable Integer before, int limit) {
        return requireKnown(workspaceId).compose(known -> versions.list(workspaceId, before, limit));
    }

    Future<Version> get(UUID workspaceId, int n) {
        return requireKnown(workspaceId)
                .compose(known -> versions.find(workspaceId, n))
                .map(found -> found.orElseThrow(() -> ApiError.notFound("version not found")));
    }

    /** Serves {@link NoteSettingsFile}. */
    public Future<NoteSettingsFile.Noted> noteFile(NoteSettingsFile file) {
        return versions.noteFile(file.workspaceId(), file.path(), file.before(), file.after(), file.changedWith())
                .map(new NoteSettingsFile.Noted(true));
    }

    /**
     * Makes the settings what they were, and that a version.
     *
     * @param ofBranch asked for by somebody who has a role for a branch only: fails with FORBIDDEN, which names them, where settings would
     *     come back that are the organisation's to give, and changes nothing
     */
    Future<Restored> restore(UUID workspaceId, int n, String changedWith, boolean ofBranch) {
        return get(workspaceId, n)
                .compose(wanted -> newest(workspaceId)
                        .compose(now -> mayRestore(workspaceId, wanted, now, ofBranch)
                                .compose(may -> writeFiles(workspaceId, wanted, now))
                                .compose(written -> database.transaction(transaction ->
                                        apply(transaction, workspaceId, wanted, now, written, changedWith, ofBranch)))
                                .onSuccess(announcements::changed)
                                .compose(changed -> newest(workspaceId))
                                .map(after -> new Restored(
                                        after.n(),
                                        needsRestart(now.settings(), after.settings()),
                                        missing(wanted, after)))));
    }

    /** Before files are written, which no transaction takes back. */
    private Future<Void> mayRestore(UUID workspaceId, Version wanted, Version now, boolean ofBranch) {
        if (!ofBranch) {
            return Future.succeededFuture();
        }
        var settings = wanted.settings();
        List<String> beyond = new ArrayList<>();
        patchTo(settings).settingsOfTheMachine().stream()
                .filter(setting -> differ(settings, now.settings(), setting))
                .forEach(beyond::add);
        return (differ(settings, now.settings(), BUDGET_LIMIT)
                        ? budgets.isOwnLimitOfOrganisation(workspaceId)
                        : Future.succeededFuture(false))
                .map(held -> {
                    if (held) {
                        beyond.add(BUDGET_LIMIT);
                    }
                    if (!beyond.isEmpty()) {
                        throw ApiError.forbidden(
                                "version %d brings back %s, which only an operator of the organization may set — restore a version that has it as it is now, or ask one"
                                        .formatted(wanted.n(), String.join(", ", beyond)));
                    }
                    return null;
                });
    }

    private Future<Version> newest(UUID workspaceId) {
        return versions.list(workspaceId, null, 1)
                .map(found -> found.stream().findFirst().orElseThrow(() -> ApiError.notFound("version not found")));
    }

    /** Files whose content was another; those that came later stay. */
    private Future<Map<String, String>> writeFiles(UUID workspaceId, Version wanted, Version now) {
        Map<String, String> contents = new LinkedHashMap<>();
        wanted.settings().path("files").properties().forEach(file -> {
            if (!file.getValue().equals(now.settings().path("files").path(file.getKey()))) {
                contents.put(file.getKey(), file.getValue().asText());
            }
        });
        return contents.isEmpty()
                ? Future.succeededFuture(contents)
                : bus.call(WriteSettingsFiles.CONTRACT, new WriteSettingsFiles(workspaceId, contents))
                        .map(contents);
    }

    private Future<List<Changed>> apply(
            Sql transaction,
            UUID workspaceId,
            Version wanted,
            Version now,
            Map<String, String> files,
            String changedWith,
            boolean ofBranch) {
        Instant at = clock.instant();
        var settings = wanted.settings();
        List<Changed> changed = new ArrayList<>();
        return PgChangedWith.sayRestored(transaction, changedWith, wanted.n())
                .compose(said -> workspaces.patch(
                        transaction,
                        workspaceId,
                        ofBranch ? patchTo(settings).withoutTheMachine() : patchTo(settings),
                        false,
                        at))
                .onSuccess(patched -> patched.ifPresent(changed::add))
                .compose(patched -> differ(settings, now.settings(), BUDGET_LIMIT)
                        ? PgBudgetStore.limit(
                                        transaction,
                                        workspaceId,
                                        PgBudgetStore.Change.ofOwn(longOf(settings.path(BUDGET_LIMIT)), ofBranch),
                                        at)
                                .onSuccess(limited -> limited.ifPresent(one -> changed.add(one.workspace())))
                                .mapEmpty()
                        : Future.succeededFuture())
                .compose(limited -> differ(settings, now.settings(), "config")
                                && settings.path("config") instanceof ObjectNode config
                        ? PgVersionStore.replaceConfig(transaction, workspaceId, config, at)
                        : Future.succeededFuture())
                .compose(replaced -> differ(settings, now.settings(), "model")
                        ? secrets.chooseModel(transaction, workspaceId, textOf(settings.path("model")), at)
                        : Future.succeededFuture())
                .compose(chosen -> PgVersionStore.keepFiles(transaction, workspaceId, files))
                .map(changed);
    }

    private static WorkspacePatch patchTo(JsonNode settings) {
        return new WorkspacePatch(
                settings.path("name").asText(),
                Optional.ofNullable(textOf(settings.path("role"))),
                settings.path("tier").asInt(),
                null,
                settings.path("runtime").asText(),
                Optional.ofNullable(textOf(settings.path("workspace_dir"))),
                null,
                null,
                null,
                null);
    }

    private static boolean needsRestart(JsonNode before, JsonNode after) {
        return AT_THE_START.stream().anyMatch(setting -> differ(before, after, setting));
    }

    private static boolean differ(JsonNode one, JsonNode other, String setting) {
        return !one.path(setting).equals(other.path(setting));
    }

    private static List<String> missing(Version wanted, Version now) {
        List<String> missing = new ArrayList<>();
        wanted.settings().path("secrets").fieldNames().forEachRemaining(missing::add);
        missing.removeIf(key -> now.settings().path("secrets").has(key));
        return missing;
    }

    private static @Nullable String textOf(JsonNode node) {
        return node.isTextual() ? node.textValue() : null;
    }

    private static @Nullable Long longOf(JsonNode node) {
        return node.isIntegralNumber() ? node.longValue() : null;
    }

    private Future<Void> requireKnown(UUID workspaceId) {
        return versions.isKnown(workspaceId).map(known -> {
            if (!known) {
                throw ApiError.notFound("workspace not found");
            }
            return null;
        });
    }
}
