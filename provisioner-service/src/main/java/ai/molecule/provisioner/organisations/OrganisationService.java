package ai.molecule.provisioner.organisations;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.SetSchedules;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.InTurn;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.imports.ImportKey.Receipt;
import ai.molecule.provisioner.imports.ImportedWorkspace;
import ai.molecule.provisioner.imports.WorkspaceImport;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lists organisations that lie ready, and has one created. */
public record OrganisationService(
        Vertx vertx, Bus bus, OrgSettings settings, WorkspaceImport imports, Backend backend) {

    private static final Logger LOGGER = LoggerFactory.getLogger(OrganisationService.class);

    private static final int UNKNOWN_MAX = 20;

    /** An organisation read and planned, but not created. */
    private record Draft(
            OrgTemplate organisation,
            List<ImportedWorkspace> workspaces,
            List<SetSchedules> schedules,
            List<SetIdleMinutes.One> idle,
            Set<String> ownVariables,
            List<String> warnings) {}

    Future<ArrayNode> templates() {
        return vertx.executeBlocking(() -> new OrgLibrary(settings.organisations()).list(), false);
    }

    /**
     * Fails, and then nothing is created, with INVALID or NOT_FOUND for what cannot be imported, with PRECONDITION_FAILED while
     * required variables are missing, and with UNAVAILABLE while too many imports run. One that was asked for before with the same
     * key is not run again.
     */
    Future<JsonNode> run(ImportRequest request) {
        return answered(request)
                .compose(before -> before.isPresent() ? Future.succeededFuture(before.get()) : begin(request));
    }

    /** What {@link #run} would create; fails as it would, but for missing variables, which are told. Changes nothing. */
    Future<JsonNode> preview(ImportRequest request) {
        return imports.admit(() -> vertx.executeBlocking(() -> draft(request), false)
                .compose(draft -> imports.check(draft.workspaces())
                        .compose(checked -> present(draft))
                        .map(present -> new ImportPreview(
                                        draft.organisation(),
                                        draft.workspaces(),
                                        draft.warnings(),
                                        unmet(draft.organisation().required(), present),
                                        unmet(draft.organisation().recommended(), present))
                                .toJson())));
    }

    private Future<Optional<JsonNode>> answered(ImportRequest request) {
        return request.key()
                .map(key -> imports.answered(key).map(answer -> answer.map(Json::stored)))
                .orElse(Future.succeededFuture(Optional.empty()));
    }

    private Future<JsonNode> begin(ImportRequest request) {
        return imports.admit(() -> vertx.executeBlocking(() -> draft(request), false)
                .compose(draft -> (request.force() ? Future.<Void>succeededFuture() : preflight(draft))
                        .compose(ready -> imports.run(
                                draft.workspaces(), request.start(), request.tenant(), receipt(request, draft)))
                        .compose(error -> schedule(draft).map(unset -> error.or(() -> unset)))
                        .compose(error -> imports.setIdle(draft.idle()).map(unset -> error.or(() -> unset)))
                        .map(error -> report(draft, error))));
    }

    /** What went wrong; the workspaces exist. */
    private Future<Optional<String>> schedule(Draft draft) {
        return InTurn.each(draft.schedules(), wanted -> bus.call(SetSchedules.CONTRACT, wanted))
                .map(done -> Optional.<String>empty())
                .otherwise(failure -> {
                    LOGGER.atWarn().setCause(failure).log("schedules of an imported organisation could not be set");
                    return Optional.of("not all schedules were set: %s"
                            .formatted(failure instanceof ApiError known ? known.publicMessage() : "internal error"));
                });
    }

    private static Optional<Receipt> receipt(ImportRequest request, Draft draft) {
        return request.key().map(key -> new Receipt(key, Json.text(answer(draft, Optional.empty()))));
    }

    private static ObjectNode answer(Draft draft, Optional<String> error) {
        return new ImportReport(draft.organisation(), draft.workspaces(), draft.warnings(), error).toJson();
    }

    private static JsonNode organisationIn(OrgFolder folder) {
        var file = FilePath.of("org.yaml");
        var text = folder.read(file).orElseThrow(() -> ApiError.invalid("files must hold org.yaml"));
        return OrgYaml.read(folder, file, text);
    }

    private Draft draft(ImportRequest request) {
        OrgFolder folder;
        JsonNode written;
        var sent = request.files();
        if (request.dir() != null) {
            folder = new OrgLibrary(settings.organisations()).folder(request.dir());
            written = organisationIn(folder);
        } else if (sent != null) {
            folder = SentFolder.of(sent);
            written = organisationIn(folder);
        } else if (request.template() != null) {
            folder = SentFolder.EMPTY;
            written = request.template();
        } else {
            throw ApiError.invalid("provide 'dir' or 'template'");
        }
        var organisation = OrgTemplate.of(written);
        var planner = new OrgPlanner(organisation, folder, settings, backend);
        var workspaces = planner.plan();
        var warnings = planner.warnings();
        OrgSchema.unknownIn(written, UNKNOWN_MAX)
                .forEach(path -> warnings.add("%s is not known and was ignored".formatted(path)));
        return new Draft(
                organisation,
                workspaces,
                planner.schedules(),
                planner.idle(),
                EnvFile.read(folder, FilePath.ROOT).keySet(),
                warnings);
    }

    /** What the organisation's own {@code .env} sets, every one of its workspaces gets. */
    private Future<Void> preflight(Draft draft) {
        var organisation = draft.organisation();
        if (organisation.required().isEmpty()) {
            return Future.succeededFuture();
        }
        return present(draft).compose(present -> {
            var missing = unmet(organisation.required(), present);
            return missing.isEmpty() ? Future.succeededFuture() : Future.failedFuture(missing(organisation, missing));
        });
    }

    private Future<Set<String>> present(Draft draft) {
        return bus.call(GlobalSecretNames.CONTRACT, new GlobalSecretNames()).map(global -> {
            Set<String> present = new HashSet<>(global.names());
            present.addAll(draft.ownVariables());
            return present;
        });
    }

    private static List<EnvRequirement> unmet(List<EnvRequirement> wanted, Set<String> present) {
        return wanted.stream().filter(each -> !each.isMet(present)).toList();
    }

    private static ApiError missing(OrgTemplate organisation, List<EnvRequirement> missing) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("missing_env", missing.stream().map(EnvRequirement::toJson).toList());
        details.put(
                "required_env",
                organisation.required().stream().map(EnvRequirement::toJson).toList());
        details.put("template", organisation.name());
        details.put(
                "suggestion", "set these as global secrets (POST /settings/secrets) or pass force=true to override");
        return new ApiError(ApiError.Kind.PRECONDITION_FAILED, "missing required environment variables", details);
    }

    private static JsonNode report(Draft draft, Optional<String> error) {
        LOGGER.atInfo()
                .addKeyValue("organisation", draft.organisation().name())
                .addKeyValue("workspaces", draft.workspaces().size())
                .addKeyValue("error", error.orElse(""))
                .log("organisation imported");
        return answer(draft, error);
    }
}
