package ai.molecule.events.inbox;

import ai.molecule.common.events.Event;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One kind of thing that waits for a person. {@link #ALL} is the table: to add a source, add a row, and let its owner record the
 * two events in the transactions of what they tell.
 *
 * @param kind as clients know it
 * @param part what a person does about it
 * @param types of events that may open or resolve it
 * @param opens whether an event opens a row
 * @param resolves whether it resolves the row of the same key
 * @param key what tells apart two things of one workspace; empty where there is one at a time
 * @param words what stands in the row, of the payload of the event that opened it
 * @param keeps the members of that payload that the row's details have
 * @param dismissible whether nothing but a person's word ends it
 */
record InboxSource(
        String kind,
        Part part,
        Set<String> types,
        Predicate<Event> opens,
        Predicate<Event> resolves,
        Function<JsonNode, String> key,
        Function<JsonNode, String> words,
        List<String> keeps,
        boolean dismissible) {

    /** Whether a person is asked for a decision, or something is broken. */
    enum Part {
        DECIDE("decide"),
        FIX("fix");

        private final String wire;

        Part(String wire) {
            this.wire = wire;
        }

        String wire() {
            return wire;
        }
    }

    /** Its workspace is gone: whatever waited there waits no more. */
    static final String GONE = "WORKSPACE_REMOVED";

    /** A person says that a row needs nothing more. */
    static final String DISMISSED = "INBOX_DISMISSED";

    /** The events that tell a status: each says in {@code status} what its workspace became. */
    private static final Set<String> STATUS_TYPES = Set.of(
            "WORKSPACE_PROVISIONING",
            "WORKSPACE_ONLINE",
            "WORKSPACE_AWAITING_AGENT",
            "WORKSPACE_OFFLINE",
            "WORKSPACE_DEGRADED",
            "WORKSPACE_PAUSED",
            "WORKSPACE_HIBERNATED",
            "WORKSPACE_PROVISION_FAILED");

    /** The order is that of the documentation. */
    static final List<InboxSource> ALL = List.of(
            new InboxSource(
                    "approval",
                    Part.DECIDE,
                    Set.of("APPROVAL_REQUESTED", "APPROVAL_UPDATED", "APPROVAL_DECIDED"),
                    event -> !event.type().equals("APPROVAL_DECIDED"),
                    event -> event.type().equals("APPROVAL_DECIDED"),
                    text("approval_id"),
                    text("action"),
                    List.of(
                            "approval_id",
                            "action",
                            "reason",
                            "task_id",
                            "context",
                            "context_left_out",
                            "digest",
                            "deciders"),
                    false),
            between(
                    "question",
                    Part.DECIDE,
                    "TASK_WAITING",
                    "TASK_WAIT_ENDED",
                    text("task_id"),
                    text("question"),
                    List.of("task_id", "context_id", "question", "asks_for")),
            new InboxSource(
                    "budget",
                    Part.DECIDE,
                    Set.of("BUDGET_LEVEL"),
                    event -> event.payload().path("percent").asInt() > 0,
                    event -> event.payload().path("percent").asInt() == 0,
                    payload -> "",
                    InboxSource::budgetWords,
                    List.of("percent", "budget_limit", "monthly_spend"),
                    false),
            new InboxSource(
                    "limit",
                    Part.DECIDE,
                    Set.of("LIMIT_LEVEL"),
                    event -> event.payload().path("percent").asInt() > 0,
                    event -> event.payload().path("percent").asInt() == 0,
                    text("id"),
                    InboxSource::limitWords,
                    List.of("of", "id", "title", "percent", "limit", "spent", "asked_by"),
                    false),
            new InboxSource(
                    "price",
                    Part.DECIDE,
                    Set.of("MODEL_PRICE_MISSING", "MODEL_PRICE_SET"),
                    event -> event.type().equals("MODEL_PRICE_MISSING"),
                    event -> event.type().equals("MODEL_PRICE_SET"),
                    text("model"),
                    payload -> payload.path("model").asText() + " has no price: what it costs is not counted",
                    List.of("model"),
                    true),
            new InboxSource(
                    "unusual_cost",
                    Part.DECIDE,
                    Set.of("RUN_COST_UNUSUAL"),
                    event -> true,
                    event -> false,
                    text("kind"), // of a schedule that costs more from now on, the newest run
                    InboxSource::costWords,
                    List.of("id", "title", "asked_by", "kind", "spent", "median", "runs"),
                    true),
            new InboxSource(
                    "outcome_unknown",
                    Part.DECIDE,
                    Set.of("DELEGATION_FAILED"),
                    event -> event.payload().path("outcome").asText().equals("unknown"),
                    event -> false,
                    text("delegation_id"),
                    text("error"),
                    List.of("delegation_id", "target_id", "error"),
                    true),
            new InboxSource(
                    "stranger",
                    Part.DECIDE,
                    Set.of("WORKSPACE_PROVISIONING", "WORKSPACE_UPDATED"),
                    event -> event.type().equals("WORKSPACE_PROVISIONING")
                            && event.payload().path("admitted").isBoolean()
                            && !event.payload().path("admitted").booleanValue(),
                    event -> event.payload().path("changed").path("admitted").asBoolean(),
                    payload -> "",
                    text("name"),
                    List.of("name", "role", "parent_id"),
                    false),
            status("failed", "WORKSPACE_PROVISION_FAILED", "error", List.of("error", "missing", "exit", "source")),
            status(
                    "degraded",
                    "WORKSPACE_DEGRADED",
                    "sample_error",
                    List.of("sample_error", "error_rate", "runtime_state")),
            status("awaiting_agent", "WORKSPACE_AWAITING_AGENT", "name", List.of("name")),
            between(
                    "webhook",
                    Part.FIX,
                    "WEBHOOK_PAUSED",
                    "WEBHOOK_RESUMED",
                    text("webhook"),
                    payload ->
                            "Webhook \"%s\" is paused, because the person who set its secret may not act for this agent any more. Set a new secret, or delete the webhook."
                                    .formatted(payload.path("webhook").asText()),
                    List.of("webhook", "made_by")));

    private static final Map<String, InboxSource> BY_KIND =
            ALL.stream().collect(Collectors.toUnmodifiableMap(InboxSource::kind, Function.identity()));

    /** All types of events that may change the inbox. */
    static final List<String> TYPES = Stream.concat(
                    ALL.stream().flatMap(source -> source.types.stream()), Stream.of(GONE, DISMISSED))
            .distinct()
            .sorted()
            .toList();

    static Optional<InboxSource> find(String kind) {
        return Optional.ofNullable(BY_KIND.get(kind));
    }

    /** The same for every event about the same thing, on every replica. */
    UUID idOf(UUID workspaceId, JsonNode payload) {
        String thing = kind + ":" + workspaceId + ":" + key.apply(payload);
        return UUID.nameUUIDFromBytes(thing.getBytes(StandardCharsets.UTF_8));
    }

    private static InboxSource between(
            String kind,
            Part part,
            String opening,
            String closing,
            Function<JsonNode, String> key,
            Function<JsonNode, String> words,
            List<String> keeps) {
        return new InboxSource(
                kind,
                part,
                Set.of(opening, closing),
                event -> event.type().equals(opening),
                event -> event.type().equals(closing),
                key,
                words,
                keeps,
                false);
    }

    /** Something is wrong with an agent for as long as its workspace has that status. */
    private static InboxSource status(String kind, String opening, String words, List<String> keeps) {
        return new InboxSource(
                kind,
                Part.FIX,
                STATUS_TYPES,
                event -> event.type().equals(opening),
                event -> !event.type().equals(opening),
                payload -> "",
                text(words),
                keeps,
                false);
    }

    private static Function<JsonNode, String> text(String member) {
        return payload -> payload.path(member).asText();
    }

    private static String limitWords(JsonNode payload) {
        return "$%s of $%s for: %s"
                .formatted(
                        dollars(payload.path("spent")),
                        dollars(payload.path("limit")),
                        (payload.path("of").asText().equals("tenant") ? "the tenant " : "")
                                + payload.path("title").asText());
    }

    private static String costWords(JsonNode payload) {
        return "$%s, where the median of %d earlier runs is $%s: %s"
                .formatted(
                        dollars(payload.path("spent")),
                        payload.path("runs").asInt(),
                        dollars(payload.path("median")),
                        payload.path("title").asText());
    }

    /** A limit may be a millionth of a dollar, which no person reads as 1.0E-6. */
    private static String dollars(JsonNode amount) {
        return amount.isNumber() ? amount.decimalValue().stripTrailingZeros().toPlainString() : amount.asText();
    }

    private static String budgetWords(JsonNode payload) {
        long spend = payload.path("monthly_spend").asLong();
        long limit = payload.path("budget_limit").asLong();
        String words =
                "$%d.%02d of $%d.%02d of this month".formatted(spend / 100, spend % 100, limit / 100, limit % 100);
        boolean rest = payload.path("percent").asInt() == 100 && spend < limit;
        return rest ? words + "; what is left does not pay the next call" : words;
    }
}
