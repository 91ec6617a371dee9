package ai.molecule.proxy.delegations;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The activity rows that show a delegation: {@code delegate}, and {@code delegate_result} once there is an outcome. */
final class DelegationRows {

    private DelegationRows() {}

    static List<ActivityRow> of(DelegationView one) {
        var request = Json.object().put("task", one.task()).put("delegation_id", one.delegationId());
        var asked = row(one, one.id(), "delegate", one.requestSummary(), request, null, one.status(), one.createdAt());
        String outcome = one.resultStatus();
        return outcome == null
                ? List.of(asked)
                : Stream.of(
                                asked,
                                row(
                                        one,
                                        one.resultId(),
                                        "delegate_result",
                                        one.resultSummary(),
                                        null,
                                        resultBody(one),
                                        outcome,
                                        one.resultAt()))
                        .toList();
    }

    static ObjectNode resultBody(DelegationView one) {
        var body = Json.object();
        if (one.text() != null) {
            body.put("text", one.text());
        }
        body.put("delegation_id", one.delegationId());
        if ("queued".equals(one.resultStatus())) {
            body.put("queued", true);
        }
        if (one.unknown()) {
            body.put("outcome", "unknown");
        }
        return body;
    }

    private static ActivityRow row(
            DelegationView one,
            UUID id,
            String method,
            String summary,
            @Nullable ObjectNode request,
            @Nullable ObjectNode response,
            String status,
            Instant at) {
        return new ActivityRow(
                id,
                one.source(),
                "delegation",
                one.source(),
                one.target(),
                method,
                summary,
                request == null ? null : Json.text(request),
                response == null ? null : Json.text(response),
                null,
                null,
                status,
                one.error(),
                null,
                null,
                at,
                false);
    }
}
