package ai.molecule.registry.notkept;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** What nobody keeps here, by the last segment of its path. */
public enum NotKept {
    METRICS("Tokens and costs of models are in /usage, and what was spent of the month in …/budget."),
    CHANNELS("Channels to chat programs are not part of this platform."),
    TRACES("Traces go to the OpenTelemetry collector that the operator names."),
    AUDIT("There is no audit ledger; what happened is in /events."),
    SCHEDULES("Schedules are not part of this platform; a cron job can send the message.");

    private final String why;

    NotKept(String why) {
        this.why = why;
    }

    /** {@code /workspaces/:id/…}. */
    public String path() {
        return "/workspaces/:id/" + name().toLowerCase(Locale.ROOT);
    }

    String why() {
        return why;
    }

    /** None, in the shape that clients read. */
    JsonNode none(Instant now) {
        return switch (this) {
            case METRICS -> {
                var today = now.truncatedTo(ChronoUnit.DAYS);
                yield Json.object()
                        .put("input_tokens", 0)
                        .put("output_tokens", 0)
                        .put("total_calls", 0)
                        .put("estimated_cost_usd", "0.000000")
                        .put("period_start", Json.time(today))
                        .put("period_end", Json.time(today.plus(1, ChronoUnit.DAYS)));
            }
            case AUDIT -> {
                var none = Json.object().putNull("events").put("total", 0).putNull("chain_valid");
                none.putArray("entries");
                yield none.putNull("cursor");
            }
            case CHANNELS, TRACES, SCHEDULES -> Json.MAPPER.createArrayNode();
        };
    }
}
