package ai.molecule.proxy.models;

import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a team spent in one of its periods: a call of anybody in it counts.
 *
 * @param kind {@code month}, {@code day} or {@code all}
 * @param period the first day (UTC); the epoch's of all
 * @param limitMicros millionths of a dollar; null when it is only counted
 */
record TeamAccount(
        UUID id, String kind, LocalDate period, @Nullable Long limitMicros) {

    private static final long MICROS_PER_CENT = 10_000;

    static List<TeamAccount> of(BudgetOf.Standing standing, Instant now) {
        return standing.teams().stream().map(team -> of(team, now)).toList();
    }

    private static TeamAccount of(BudgetOf.Team team, Instant now) {
        var today = now.atOffset(ZoneOffset.UTC).toLocalDate();
        LocalDate period =
                switch (team.period()) {
                    case "day" -> today;
                    case "all" -> LocalDate.EPOCH;
                    default -> today.withDayOfMonth(1);
                };
        Long cents = team.limitCents();
        return new TeamAccount(
                team.id(),
                team.period(),
                period,
                cents == null ? null : Math.min(cents, Long.MAX_VALUE / MICROS_PER_CENT) * MICROS_PER_CENT);
    }

    /** {@code [{"id", "kind", "period", "limit"}]}, as the statements take it. */
    static ArrayNode toJson(List<TeamAccount> accounts) {
        var list = Json.MAPPER.createArrayNode();
        accounts.forEach(account -> list.addObject()
                .put("id", account.id.toString())
                .put("kind", account.kind)
                .put("period", account.period.toString())
                .put("limit", account.limitMicros));
        return list;
    }
}
