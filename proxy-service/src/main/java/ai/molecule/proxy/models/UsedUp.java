package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.proxy.models.PgLedgerStore.Ask;
import ai.molecule.proxy.models.PgLedgerStore.Standing;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Why a call is not paid for: which limits are used up, what of each is spent, and how each is raised.
 *
 * @param limited the accounts with a limit that bound the call
 * @param standings of these, as far as one knows; without them every limit is named
 */
record UsedUp(Ask ask, List<ModelAccount> limited, List<Standing> standings) {

    ApiError error() {
        var lacking = limited.stream().filter(this::lacks).toList();
        Long own = ask.limit();
        List<String> limits = new ArrayList<>();
        List<String> ways = new ArrayList<>();
        if (own != null) {
            limits.add("the budget of %s of this workspace for this month (UTC)".formatted(dollars(own)));
            ways.add("PATCH /workspaces/%s/budget".formatted(ask.workspaceId()));
        }
        for (var account : lacking.isEmpty() && own == null ? limited : lacking) {
            String limit = nameOf(account) + spentOf(account);
            if (!limits.contains(limit)) {
                limits.add(limit);
                ways.add(wayOf(account));
            }
        }
        boolean day = lacking.stream().anyMatch(account -> account.kind().equals(ModelAccount.ORGANIZATION));
        return new ApiError(
                ApiError.Kind.BUDGET_EXCEEDED,
                "%s does not pay for this call: wait for calls under way to end, or raise the limit (%s)"
                        .formatted(String.join(", or ", limits), String.join(", ", ways)),
                Map.of("code", day ? "day_cap_exceeded" : "budget_exceeded"));
    }

    private boolean lacks(ModelAccount account) {
        Long limit = account.limitMicros();
        return limit != null
                && standingOf(account)
                        .filter(found -> limit - found.spent() - found.reserved() < ask.least())
                        .isPresent();
    }

    private Optional<Standing> standingOf(ModelAccount account) {
        return standings.stream().filter(found -> found.isOf(account)).findFirst();
    }

    private String spentOf(ModelAccount account) {
        return account.isTeam()
                ? "" // what others spend is not told everybody below
                : standingOf(account)
                        .map(found -> " (%s spent, %s reserved for calls under way)"
                                .formatted(dollars(found.spent()), dollars(found.reserved())))
                        .orElse("");
    }

    private static String nameOf(ModelAccount account) {
        Long limit = account.limitMicros();
        String amount = limit == null ? "" : dollars(limit);
        return switch (account.kind()) {
            case "work" -> "the cost limit of %s of this run".formatted(amount);
            case "delegation" -> "the cost limit of %s of this delegation".formatted(amount);
            case ModelAccount.ORGANIZATION -> "the organization's cap of %s for this day (UTC)".formatted(amount);
            default -> "the budget of a team above this workspace";
        };
    }

    private static String wayOf(ModelAccount account) {
        return switch (account.kind()) {
            case "work" ->
                "PATCH /work/%1$s, or \"molecule budget --run %1$s --limit DOLLARS\"".formatted(account.id());
            case "delegation" -> "PATCH /workspaces/:id/delegations/:delegation_id";
            case ModelAccount.ORGANIZATION -> "PUT /settings/spending, or \"molecule budget --day-cap DOLLARS\"";
            default -> "PATCH /workspaces/:id/budget of the team";
        };
    }

    private static String dollars(long micros) {
        var amount = BigDecimal.valueOf(micros, 6).stripTrailingZeros();
        return "$" + amount.setScale(Math.max(2, amount.scale())).toPlainString();
    }
}
