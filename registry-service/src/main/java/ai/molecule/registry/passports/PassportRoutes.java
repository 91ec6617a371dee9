package ai.molecule.registry.passports;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.http.FormBody;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code POST /token}: one token for another, as RFC 8693 has it; errors as RFC 6749, 5.2. */
public record PassportRoutes(Passports passports, Guards guards, Clock clock) {

    private static final String GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
    private static final String JWT = "urn:ietf:params:oauth:token-type:jwt";
    private static final String ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

    private static final Pattern TOOL = Pattern.compile("[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,64}");
    private static final int DELEGATION_MAX_CHARS = 128;
    private static final BigDecimal BUDGET_MAX = new BigDecimal(1_000_000);
    private static final Pattern MONEY = Pattern.compile("\\d{1,7}(\\.\\d{1,6})?");

    /** A refusal with its code; what it says is for whoever reads the answer. */
    private static final class Refused extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final int status;
        private final String code;

        Refused(int status, String code, String says) {
            super(says, null, false, false);
            this.status = status;
            this.code = code;
        }
    }

    /** 200 with the passport; whoever asks is its {@code Authorization}, or the {@code actor_token}. */
    public void exchange(RoutingContext ctx) {
        Future.succeededFuture()
                .compose(begun -> asked(ctx))
                .compose(passports::issue)
                .onSuccess(issued -> {
                    var answer = Json.object()
                            .put("access_token", issued.token())
                            .put("issued_token_type", JWT)
                            .put("token_type", "N_A")
                            .put(
                                    "expires_in",
                                    Math.max(
                                            0,
                                            Duration.between(clock.instant(), issued.expiresAt())
                                                    .toSeconds()))
                            .put("says", issued.says());
                    answer(ctx, 200, Json.buffer(answer));
                })
                .onFailure(failure -> refuse(ctx, failure));
    }

    private Future<IssuePassport> asked(RoutingContext ctx) {
        var form = form(ctx);
        if (!GRANT.equals(form.get("grant_type"))) {
            throw new Refused(400, "unsupported_grant_type", "grant_type must be " + GRANT);
        }
        String requested = form.get("requested_token_type");
        if (requested != null && !requested.equals(JWT)) {
            throw invalid("requested_token_type must be " + JWT);
        }
        String subject = required(form, "subject_token");
        String subjectType = required(form, "subject_token_type");
        UUID target = Ids.find(form.get("audience"))
                .orElseThrow(() -> new Refused(400, "invalid_target", "audience must be the id of a workspace"));
        if (form.containsKey("actor_token") && !ACCESS_TOKEN.equals(form.get("actor_token_type"))) {
            throw invalid("actor_token_type must be " + ACCESS_TOKEN);
        }
        String delegation = form.get("delegation_id");
        if (delegation != null && delegation.length() > DELEGATION_MAX_CHARS) {
            throw invalid("delegation_id must be at most %d characters".formatted(DELEGATION_MAX_CHARS));
        }
        var tools = tools(form.get("scope"));
        var budget = budget(form.get("budget"));
        var deadline = deadline(form.get("deadline"));
        String shown = form.getOrDefault("actor_token", Objects.requireNonNullElse(Bearer.of(ctx.request()), ""));
        return switch (subjectType) {
            case JWT ->
                whose(shown).map(actor -> {
                    var caller = actor.workspaceId();
                    if (caller == null) {
                        throw new Refused(
                                401, "invalid_client", "a workspace's own token is needed to hand a passport on");
                    }
                    return new IssuePassport(
                            target, null, caller, subject, null, delegation, budget, deadline, tools, false);
                });
            case ACCESS_TOKEN ->
                whose(subject).map(principal -> {
                    if (!principal.isAdministrator()) {
                        throw new Refused(401, "invalid_client", "only who may ask for work begins a passport");
                    }
                    return new IssuePassport(
                            target,
                            principal.credential(),
                            null,
                            null,
                            null,
                            delegation,
                            budget,
                            deadline,
                            tools,
                            false);
                });
            default -> throw invalid("subject_token_type must be " + JWT + " or " + ACCESS_TOKEN);
        };
    }

    private Future<Caller> whose(String token) {
        return guards.whose(token.isEmpty() ? null : token).compose(Caller::refuseSuspended);
    }

    private static Map<String, String> form(RoutingContext ctx) {
        try {
            return FormBody.of(ctx);
        } catch (ApiError malformed) {
            throw invalid(malformed.publicMessage());
        }
    }

    private static String required(Map<String, String> form, String name) {
        String value = form.get(name);
        if (value == null) {
            throw invalid(name + " is required");
        }
        return value;
    }

    private static @Nullable List<String> tools(@Nullable String scope) {
        if (scope == null) {
            return null;
        }
        var tools = List.of(scope.strip().split(" +"));
        if (tools.size() > Passport.TOOLS_MAX
                || !tools.stream().allMatch(tool -> TOOL.matcher(tool).matches())) {
            throw new Refused(
                    400,
                    "invalid_scope",
                    "scope must be at most %d names of tools of at most %d characters"
                            .formatted(Passport.TOOLS_MAX, Passport.TOOL_MAX_CHARS));
        }
        return tools;
    }

    private static @Nullable BigDecimal budget(@Nullable String text) {
        if (text == null) {
            return null;
        }
        var amount = MONEY.matcher(text).matches() ? new BigDecimal(text) : BigDecimal.ZERO;
        if (amount.signum() <= 0 || amount.compareTo(BUDGET_MAX) > 0) {
            throw invalid("budget must be an amount in US dollars above 0 and at most 1000000");
        }
        return amount;
    }

    private @Nullable Instant deadline(@Nullable String text) {
        try {
            var deadline = text == null ? null : Instant.parse(text);
            if (deadline != null && !deadline.isAfter(clock.instant())) {
                throw invalid("deadline is over");
            }
            return deadline;
        } catch (DateTimeParseException noTime) {
            throw invalid("deadline must be a time (RFC 3339)");
        }
    }

    private static Refused invalid(String says) {
        return new Refused(400, "invalid_request", says);
    }

    private static void refuse(RoutingContext ctx, Throwable failure) {
        if (failure instanceof Refused refused) {
            tell(ctx, refused.status, refused.code, String.valueOf(refused.getMessage()));
        } else if (failure instanceof ApiError error && error.kind() == ApiError.Kind.FORBIDDEN) {
            tell(ctx, 400, "invalid_grant", error.publicMessage());
        } else if (failure instanceof ApiError error && error.kind() == ApiError.Kind.NOT_FOUND) {
            tell(ctx, 400, "invalid_target", error.publicMessage());
        } else {
            ctx.fail(failure);
        }
    }

    private static void tell(RoutingContext ctx, int status, String code, String says) {
        answer(ctx, status, Json.buffer(Json.object().put("error", code).put("error_description", says)));
    }

    private static void answer(RoutingContext ctx, int status, Buffer body) {
        ctx.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json; charset=utf-8")
                .putHeader("Cache-Control", "no-store")
                .end(body);
    }
}
