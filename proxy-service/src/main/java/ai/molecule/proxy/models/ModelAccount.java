package ai.molecule.proxy.models;

import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Whose money a call costs besides its workspace's: a team's in one of its periods, a run's, a delegation's, the organization's of a day.
 *
 * @param kind {@code month}, {@code day} or {@code all} of a team; {@code work}, {@code delegation} or {@code organization}
 * @param period the first day (UTC); the epoch's of all but months and days
 * @param limitMicros millionths of a dollar; null when it is only counted
 * @param tenant what a tenant is called; null of all others
 * @param byDefault whether it has its limit because nobody said one: then it does not refuse what cannot be bounded beforehand
 */
record ModelAccount(
        UUID id,
        String kind,
        LocalDate period,
        @Nullable Long limitMicros,
        @Nullable String tenant,
        boolean byDefault) {

    static final String ORGANIZATION = "organization";

    private static final long MICROS_PER_CENT = 10_000;
    private static final BigDecimal MICROS_PER_DOLLAR = BigDecimal.valueOf(1_000_000);
    private static final UUID OF_ALL = new UUID(0, 0);

    /** Of anything but a tenant, with a limit that somebody said. */
    ModelAccount(UUID id, String kind, LocalDate period, @Nullable Long limitMicros) {
        this(id, kind, period, limitMicros, null, false);
    }

    /** What all agents of the organization spend on a day (UTC); {@code cap} in US dollars. */
    static ModelAccount ofDay(Instant now, @Nullable BigDecimal cap) {
        return new ModelAccount(
                OF_ALL, ORGANIZATION, now.atOffset(ZoneOffset.UTC).toLocalDate(), micros(cap));
    }

    /** A part of a millionth is not allowed. */
    static @Nullable Long micros(@Nullable BigDecimal dollars) {
        return dollars == null
                ? null
                : Long.valueOf(dollars.multiply(MICROS_PER_DOLLAR)
                        .setScale(0, RoundingMode.DOWN)
                        .longValueExact());
    }

    static List<ModelAccount> of(BudgetOf.Standing standing, Instant now) {
        return standing.teams().stream().map(team -> of(team, now)).toList();
    }

    private static ModelAccount of(BudgetOf.Team team, Instant now) {
        var today = now.atOffset(ZoneOffset.UTC).toLocalDate();
        LocalDate period =
                switch (team.period()) {
                    case "day" -> today;
                    case "all" -> LocalDate.EPOCH;
                    default -> today.withDayOfMonth(1);
                };
        Long cents = team.limitCents();
        return new ModelAccount(
                team.id(),
                team.period(),
                period,
                cents == null ? null : Math.min(cents, Long.MAX_VALUE / MICROS_PER_CENT) * MICROS_PER_CENT,
                team.tenant(),
                false);
    }

    boolean isTeam() {
        return !kind.equals("work") && !kind.equals("delegation") && !kind.equals(ORGANIZATION);
    }

    /** Whether somebody chose its limit. */
    boolean isStrict() {
        return limitMicros != null && !byDefault;
    }

    /** {@code [{"id", "kind", "period", "limit"[, "tenant"]}]}, as the statements take it. */
    static ArrayNode toJson(List<ModelAccount> accounts) {
        var list = Json.MAPPER.createArrayNode();
        accounts.forEach(account -> {
            var one = list.addObject()
                    .put("id", account.id.toString())
                    .put("kind", account.kind)
                    .put("period", account.period.toString())
                    .put("limit", account.limitMicros);
            if (account.tenant != null) {
                one.put("tenant", account.tenant);
            }
        });
        return list;
    }
}
