package ai.molecule.proxy.webhooks;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.models.DollarLimit;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A sender whose deliveries become work.
 *
 * @param type as the address has it: of GitHub {@code github} for all agents, {@code github/<id>} for one
 * @param to the agent that is asked; null where the address alone names it
 * @param events that count, such as {@code issues} or {@code issues.opened}; null for all
 * @param limit in US dollars, of each piece of work; null for none
 * @param made who set it last
 */
record Webhook(
        String type,
        @Nullable UUID to,
        Template title,
        Template brief,
        @Nullable List<String> events,
        @Nullable BigDecimal limit,
        Made made) {

    /**
     * Who set it last.
     *
     * @param by the credential, as the record shows it; null where that is not known
     * @param endsWith a person of branches or tenants only, without whose right to act for the agent nothing is taken; null for everybody else
     */
    record Made(@Nullable String by, @Nullable UUID endsWith) {

        static Made by(Caller caller) {
            return new Made(caller.credential(), caller.endsWith());
        }
    }

    static final String COMPLAINT = "invalid webhook";

    /** Signed as GitHub does it, at an address that names the agent. */
    static final String GITHUB = "github";

    private static final String OF_ONE_AGENT = GITHUB + "/";

    private static final Pattern TYPE = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");
    private static final Pattern EVENT = Pattern.compile("[A-Za-z0-9_.:\\-]{1,100}");
    private static final int EVENTS_MAX = 50;

    static Webhook of(String type, JsonBody body, Made made) {
        if (!TYPE.matcher(type).matches()) {
            throw ApiError.invalid("a type is 1 to 40 lower-case letters, digits and hyphens");
        }
        String to = body.text("to");
        if (type.equals(GITHUB) != (to == null)) {
            throw ApiError.invalid(
                    to == null
                            ? "to must be the id of a workspace"
                            : "to is in the address of github: /webhooks/github/<workspace id>");
        }
        return of(
                type,
                to == null
                        ? null
                        : Ids.find(to).orElseThrow(() -> ApiError.invalid("to must be the id of a workspace")),
                body,
                made);
    }

    /** What one agent alone takes of GitHub, by a secret of its own: in place of what it would take by the one for all. */
    static Webhook ofGithub(UUID agent, JsonBody body, Made made) {
        if (body.text("to") != null) {
            throw ApiError.invalid("to is in the address");
        }
        return of(githubOf(agent), agent, body, made);
    }

    private static Webhook of(String type, @Nullable UUID to, JsonBody body, Made made) {
        return new Webhook(
                type,
                to,
                Template.of("title", body.text("title", sender(type) + " {{event}}")),
                Template.of("brief", body.text("brief", "{{body}}")),
                events(body),
                DollarLimit.of(body),
                made);
    }

    /** The type of what one agent alone takes of GitHub. */
    static String githubOf(UUID agent) {
        return OF_ONE_AGENT + agent;
    }

    private static String sender(String type) {
        return type.startsWith(OF_ONE_AGENT) ? GITHUB : type;
    }

    /** How whoever sends is called. */
    String sender() {
        return sender(type);
    }

    private static @Nullable List<String> events(JsonBody body) {
        var said = body.node("events");
        if (said == null) {
            return null;
        }
        var events = said.valueStream().map(JsonNode::asText).distinct().toList();
        if (!said.isArray()
                || events.isEmpty()
                || events.size() > EVENTS_MAX
                || !events.stream().allMatch(event -> EVENT.matcher(event).matches())) {
            throw ApiError.invalid("events must be null or 1 to %d names of events".formatted(EVENTS_MAX));
        }
        return events;
    }

    /** Where its secret is kept. */
    String secretKey() {
        return "webhooks/" + type;
    }

    /** Whether a delivery becomes work: by its event, or that with the action it names. */
    boolean wants(Delivery delivery) {
        String action = delivery.body().path("action").asText();
        return events == null
                ? !(sender().equals(GITHUB) && delivery.event().equals("ping"))
                : events.contains(delivery.event()) || events.contains(delivery.event() + "." + action);
    }

    /**
     * Without its secret.
     *
     * @param paused whether nothing is taken
     */
    ObjectNode toJson(boolean paused) {
        var body = Json.object()
                .put("type", type)
                .put("to", to == null ? null : to.toString())
                .put("title", title.text())
                .put("brief", brief.text());
        if (events == null) {
            body.putNull("events");
        } else {
            var names = body.putArray("events");
            events.forEach(names::add);
        }
        return body.put("limit", limit).put("made_by", made.by).put("paused", paused);
    }
}
