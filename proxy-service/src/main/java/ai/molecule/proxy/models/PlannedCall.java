package ai.molecule.proxy.models;

import ai.molecule.common.auth.Behalf;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ProviderTable.Chosen;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a call before anything of it leaves.
 *
 * @param context as {@code X-Molecule-Context} said; null when it did not
 * @param input estimated tokens
 * @param insteadOf the model that was asked for first and could not answer, as {@code provider:model}; null of the first
 * @param behalf on whose it is asked; null where no passport was shown
 * @param listed whether it is asked where the table says, so that its price can be given
 */
record PlannedCall(
        UUID id,
        UUID workspaceId,
        @Nullable String context,
        @Nullable String traceId,
        Instant startedAt,
        Chosen chosen,
        ModelOperation operation,
        boolean streams,
        long input,
        @Nullable String insteadOf,
        @Nullable Behalf behalf,
        boolean listed) {

    /**
     * What its row needs that a promise does not say, for the case that its proxy is killed.
     *
     * @param teams those it counts for, with a limit or without
     */
    String toJson(List<ModelAccount> teams) {
        return Json.object()
                .put("context", context)
                .put("trace_id", traceId)
                .put("provider", chosen.provider().name())
                .put("model", chosen.model())
                .put("operation", operation.wireName())
                .put("tokens_in", input)
                .put("started_at", startedAt.toString())
                .put("instead_of", insteadOf)
                .put("passport_id", behalf == null ? null : behalf.passportId().toString())
                .put("on_behalf_of", behalf == null ? null : behalf.principal())
                .set("teams", ModelAccount.toJson(teams))
                .toString();
    }
}
