package ai.molecule.registry.passports;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who asked whom, on whose behalf, and what is left of what was allowed. Handing it on gives another one with a hop more, which has the same
 * bounds or narrower ones. It proves nobody's identity: whoever shows it proves by another token that it is its audience. Pure.
 *
 * @param principal on whose behalf
 * @param actors the agents that handed it on, the first one first
 * @param audience who is asked, and may hand it on
 * @param work null where it is part of none
 * @param delegation null where the last hop is a message
 * @param budget in US dollars; null for no bound
 * @param deadline null for none
 * @param tools null for all there are
 * @param chain the ids of those it was handed on from, the first one first: with one of them it is revoked, too
 */
record Passport(
        UUID id,
        Party principal,
        List<Party> actors,
        Party audience,
        @Nullable String work,
        @Nullable String delegation,
        @Nullable BigDecimal budget,
        @Nullable Instant deadline,
        @Nullable SortedSet<String> tools,
        Instant issuedAt,
        List<UUID> chain) {

    /** As long as a task may wait for a person. Authority ends with its deadline; this is what bounds one without. */
    static final Duration LIFE_MAX = Duration.ofDays(366);

    static final int TOOLS_MAX = 32;
    static final int TOOL_MAX_CHARS = 64;

    private static final int NAME_MAX_CHARS = 40;
    private static final int DEPTH_READ_MAX = 64;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** @param id of a workspace, or how a person is known */
    record Party(String id, String name) {

        Party {
            name = name.codePointCount(0, name.length()) > NAME_MAX_CHARS
                    ? name.substring(0, name.offsetByCodePoints(0, NAME_MAX_CHARS - 1)) + "…"
                    : name;
        }
    }

    /**
     * What is wanted of the next one; null for what there is.
     *
     * @param toAsker whether it may go back to whoever asked
     */
    record Wish(
            @Nullable String work,
            @Nullable String delegation,
            @Nullable BigDecimal budget,
            @Nullable Instant deadline,
            @Nullable Collection<String> tools,
            boolean toAsker) {}

    static Passport first(UUID id, Party principal, Party audience, Wish wish, Instant now) {
        return new Passport(
                id,
                principal,
                List.of(),
                audience,
                wish.work,
                wish.delegation,
                wish.budget,
                wish.deadline,
                sorted(wish.tools),
                now,
                List.of());
    }

    /** Its own id and those of {@code chain}. */
    List<UUID> ids() {
        return Stream.concat(chain.stream(), Stream.of(id)).toList();
    }

    /** How many were asked, its audience with them. */
    int depth() {
        return actors.size() + 1;
    }

    Instant expiresAt() {
        var longest = issuedAt.plus(LIFE_MAX);
        return deadline == null || deadline.isAfter(longest) ? longest : deadline;
    }

    /**
     * The next one, from its audience to {@code next}. Throws FORBIDDEN where it may not be: with the path for a circle and for too many
     * hops, and with what it allows for whatever would be wider.
     */
    Passport handOn(UUID nextId, Party next, Wish wish, int depthMax, Instant now) {
        if (!now.isBefore(expiresAt())) {
            throw ApiError.forbidden("the passport ended at " + TIME.format(expiresAt()));
        }
        boolean answers = wish.toAsker
                && !actors.isEmpty()
                && actors.getLast().id.equals(next.id)
                && !audience.id.equals(next.id);
        boolean wasAsked = audience.id.equals(next.id) || actors.stream().anyMatch(actor -> actor.id.equals(next.id));
        if (wasAsked && !answers) {
            throw ApiError.forbidden("this would go in a circle: " + path(next));
        }
        if (depth() >= depthMax) {
            throw ApiError.forbidden("this would be handed on more than %d times: %s".formatted(depthMax, path(next)));
        }
        if (wish.work != null && work != null && !work.equals(wish.work)) {
            throw ApiError.forbidden("the passport is for another piece of work");
        }
        var asked = new ArrayList<>(actors);
        asked.add(audience);
        return new Passport(
                nextId,
                principal,
                List.copyOf(asked),
                next,
                work == null ? wish.work : work,
                wish.delegation,
                narrowed(wish.budget),
                narrowed(wish.deadline),
                narrowed(wish.tools),
                now,
                ids());
    }

    private @Nullable BigDecimal narrowed(@Nullable BigDecimal wanted) {
        if (wanted == null || budget == null) {
            return wanted == null ? budget : wanted;
        }
        if (wanted.compareTo(budget) > 0) {
            throw ApiError.forbidden("the passport allows %s, not %s".formatted(dollars(budget), dollars(wanted)));
        }
        return wanted;
    }

    private @Nullable Instant narrowed(@Nullable Instant wanted) {
        if (wanted == null || deadline == null) {
            return wanted == null ? deadline : wanted;
        }
        if (wanted.isAfter(deadline)) {
            throw ApiError.forbidden("the passport ends at " + TIME.format(deadline));
        }
        return wanted;
    }

    private @Nullable SortedSet<String> narrowed(@Nullable Collection<String> wanted) {
        if (wanted == null || tools == null) {
            return wanted == null ? tools : sorted(wanted);
        }
        for (String tool : wanted) {
            if (!tools.contains(tool)) {
                throw ApiError.forbidden("the passport does not allow " + tool + ", only " + listed(tools));
            }
        }
        return sorted(wanted);
    }

    private static @Nullable SortedSet<String> sorted(@Nullable Collection<String> tools) {
        return tools == null ? null : new TreeSet<>(tools);
    }

    /** Kim → Lead → Writer → Lead. */
    private String path(Party next) {
        return Stream.of(Stream.of(principal), actors.stream(), Stream.of(audience, next))
                .flatMap(parties -> parties)
                .map(Party::name)
                .collect(Collectors.joining(" → "));
    }

    /** Kim asked Lead, Lead asked Writer: may use read and write, $0.40 left, until 2026-11-26 18:00 UTC. */
    String says() {
        var hops = new ArrayList<String>();
        String asking = principal.name;
        for (var asked : Stream.concat(actors.stream(), Stream.of(audience)).toList()) {
            hops.add(asking + " asked " + asked.name);
            asking = asked.name;
        }
        var bounds = new ArrayList<String>();
        if (tools == null) {
            bounds.add("may use every tool it has");
        } else {
            bounds.add(tools.isEmpty() ? "may use no tool" : "may use " + listed(tools));
        }
        if (budget != null) {
            bounds.add(dollars(budget) + " left");
        }
        if (deadline != null) {
            bounds.add("until " + TIME.format(deadline));
        }
        return String.join(", ", hops) + ": " + String.join(", ", bounds);
    }

    private static String listed(SortedSet<String> tools) {
        var names = List.copyOf(tools);
        return names.size() < 2
                ? String.join("", names)
                : String.join(", ", names.subList(0, names.size() - 1)) + " and " + names.getLast();
    }

    private static String dollars(BigDecimal amount) {
        return "$"
                + amount.setScale(Math.max(2, amount.stripTrailingZeros().scale()), RoundingMode.DOWN)
                        .toPlainString();
    }

    /** As RFC 8693 has it: {@code sub} on whose behalf, {@code act} who acts, within it who acted before. */
    ObjectNode claims() {
        var claims = Json.object()
                .put("iss", "molecule")
                .put("sub", principal.id)
                .put("name", principal.name)
                .put("aud", audience.id)
                .put("aud_name", audience.name)
                .put("iat", issuedAt.getEpochSecond())
                .put("exp", expiresAt().getEpochSecond())
                .put("jti", id.toString())
                .put("depth", depth());
        ObjectNode act = null;
        for (var actor : actors) {
            var outer = Json.object().put("sub", actor.id).put("name", actor.name);
            if (act != null) {
                outer.set("act", act);
            }
            act = outer;
        }
        if (act != null) {
            claims.set("act", act);
        }
        if (!chain.isEmpty()) {
            var from = claims.putArray("chain");
            chain.forEach(earlier -> from.add(earlier.toString()));
        }
        if (work != null) {
            claims.put("work", work);
        }
        if (delegation != null) {
            claims.put("delegation", delegation);
        }
        if (budget != null) {
            claims.put("budget", budget.toPlainString());
        }
        if (deadline != null) {
            claims.put("deadline", deadline.getEpochSecond());
        }
        if (tools != null) {
            tools.forEach(claims.putArray("tools")::add);
        }
        return claims;
    }

    /** Of claims whose signature was checked; throws FORBIDDEN for what is none. */
    static Passport of(JsonNode claims) {
        try {
            var actors = new ArrayList<Party>();
            for (var act = claims.path("act");
                    act.isObject() && actors.size() <= DEPTH_READ_MAX;
                    act = act.path("act")) {
                actors.addFirst(new Party(text(act, "sub"), text(act, "name")));
            }
            return new Passport(
                    UUID.fromString(text(claims, "jti")),
                    new Party(text(claims, "sub"), text(claims, "name")),
                    List.copyOf(actors),
                    new Party(text(claims, "aud"), text(claims, "aud_name")),
                    claims.path("work").textValue(),
                    claims.path("delegation").textValue(),
                    claims.has("budget") ? new BigDecimal(text(claims, "budget")) : null,
                    claims.has("deadline")
                            ? Instant.ofEpochSecond(claims.path("deadline").asLong())
                            : null,
                    claims.has("tools")
                            ? sorted(claims.path("tools")
                                    .valueStream()
                                    .map(JsonNode::asText)
                                    .toList())
                            : null,
                    Instant.ofEpochSecond(claims.path("iat").asLong()),
                    claims.path("chain")
                            .valueStream()
                            .map(earlier -> UUID.fromString(earlier.asText()))
                            .toList());
        } catch (IllegalArgumentException wrong) {
            throw ApiError.forbidden("this is no passport");
        }
    }

    private static String text(JsonNode claims, String name) {
        String text = claims.path(name).textValue();
        if (text == null) {
            throw new IllegalArgumentException(name);
        }
        return text;
    }
}
