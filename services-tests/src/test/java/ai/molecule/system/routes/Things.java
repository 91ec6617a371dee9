package ai.molecule.system.routes;

import static org.awaitility.Awaitility.await;

import ai.molecule.system.routes.Stage.Spot;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What the requests of {@code touching.txt} name, such as an approval that waits: made by an administrator at the workspace in question, once, or
 * each time where requests use it up.
 */
final class Things {

    /** What is of no workspace. */
    private static final Set<String> OF_THE_ORGANIZATION = Set.of(
            "quiet",
            "approval_rule",
            "ruling",
            "policy",
            "global_secret",
            "org_token",
            "person",
            "person_session",
            "person_token",
            "channel",
            "price",
            "code");

    /** Believed as the client's address, of which many may ask only so often. */
    private static final String EDGE = "X-Molecule-Edge: edge";

    private final FourServices services;
    private final StoredState stored;
    private final Map<String, String> kept = new HashMap<>();
    private boolean made;

    Things(FourServices services, StoredState stored) {
        this.services = services;
        this.stored = stored;
    }

    /** The one there is of the organization. */
    static boolean isOfTheOrganization(String thing) {
        return OF_THE_ORGANIZATION.contains(thing);
    }

    /** What stands in a request for the thing. */
    String kept(String thing, Spot at) {
        String key = isOfTheOrganization(thing) ? thing : thing + " of " + at.id();
        String there = kept.get(key);
        if (there == null) {
            there = fresh(thing, at);
            kept.put(key, there);
        }
        return there;
    }

    /** Whether there is a new one since the last time that this was asked. */
    boolean madeSome() {
        boolean some = made;
        made = false;
        return some;
    }

    String fresh(String thing, Spot at) {
        made = true;
        String path = "/workspaces/" + at.id();
        return switch (thing) {
            case "approval" ->
                post(201, path + "/approvals", "{\"action\":\"a\"}").text("approval_id");
            case "decided" -> decided(path);
            case "ruled" -> {
                kept("ruling", at);
                yield post(201, path + "/approvals", "{\"action\":\"ruled\"}").text("approval_id");
            }
            case "token" -> {
                post(201, path + "/tokens", "{}");
                yield get(path + "/tokens").at("/tokens/0/id").asText();
            }
            case "memory" ->
                post(201, path + "/memories", "{\"content\":\"c\",\"scope\":\"LOCAL\"}")
                        .text("id");
            case "key" ->
                post(200, path + "/memory", "{\"key\":\"kept\",\"value\":1}").text("key");
            case "secret" ->
                post(200, path + "/secrets", "{\"key\":\"KEPT\",\"value\":\"v\"}")
                        .text("key");
            case "schedule" ->
                post(
                                201,
                                path + "/schedules",
                                "{\"name\":\"%s\",\"cron_expr\":\"0 0 29 2 *\",\"prompt\":\"p\"}"
                                        .formatted(UUID.randomUUID()))
                        .text("id");
            case "delegation" -> delegation(path, at);
            case "run" ->
                post(201, "/work", "{\"title\":\"t\",\"to\":\"%s\"}".formatted(at.near()))
                        .text("id");
            case "webhook" -> webhook(at);
            case "github" -> put("/webhooks/github/" + at.id(), "{\"secret\":\"a-secret-of-some-length\"}", at.id());
            case "alias" -> put(path + "/model-aliases/kept", "{\"models\":[\"openai:gpt-5-mini\"]}", "kept");
            case "rule" -> put(path + "/policy/kept", "{\"refuse_when\":\"false\"}", "kept");
            case "instruction" ->
                post(
                                201,
                                "/instructions",
                                "{\"scope\":\"team\",\"scope_target\":\"%s\",\"title\":\"t\",\"content\":\"c\"}"
                                        .formatted(at.id()))
                        .text("id");
            case "invitation" ->
                post(201, "/invitations", "{\"name\":\"Guest\",\"parent_id\":\"%s\"}".formatted(at.id()))
                        .text("invitation_id");
            case "quarantined" -> quarantined(at);
            case "inbox" -> inbox(at);
            case "quiet" ->
                post(201, "/workspaces", "{\"name\":\"Quiet\",\"external\":true}")
                        .text("id");
            case "approval_rule" -> rule("kept", "false");
            case "ruling" -> rule("ruling", "action == 'ruled'");
            case "policy" -> put("/policy/kept", "{\"refuse_when\":\"false\"}", "kept");
            case "global_secret" ->
                put(
                        "/settings/secrets",
                        "{\"key\":\"KEPT\",\"value\":\"v\",\"grants\":[\"%s\"]}".formatted(kept("quiet", at)),
                        "KEPT");
            case "org_token" ->
                ofAnyAddress(200, "/org/tokens", "{\"name\":\"kept\"}").text("id");
            case "person" -> person();
            case "person_session", "person_token" -> {
                kept("person", at);
                yield kept(thing, at);
            }
            case "channel" -> post(201, "/notifications/targets", """
                                {"name":"t","who":"Ann","channel":"email","url":"smtp://mail.example.org:587","secret":"s",\
                                "from":"a@example.org","to":"b@example.org","zone":"UTC","enabled":false}""").text("id");
            case "price" ->
                put("/settings/prices", "{\"model\":\"openrouter:a/kept\",\"in\":1,\"out\":2}", "openrouter:a/kept");
            case "code" ->
                ofAnyAddress(200, "/device/code", "{\"client_id\":\"a program\"}")
                        .text("user_code");
            default -> throw new IllegalArgumentException("touching.txt: nobody knows how to make {" + thing + "}");
        };
    }

    /** Of the organization, by which nobody but an owner decides. */
    private String rule(String name, String when) {
        return put(
                "/approvals/rules/" + name,
                "{\"when\":\"%s\",\"deciders\":{\"role\":\"owner\"}}".formatted(when),
                name);
    }

    private String decided(String path) {
        String id = post(201, path + "/approvals", "{\"action\":\"a\"}").text("approval_id");
        post(200, path + "/approvals/" + id + "/decide", "{\"decision\":\"approved\",\"grace_seconds\":3600}");
        return id;
    }

    private String delegation(String path, Spot at) {
        String id = UUID.randomUUID().toString();
        post(
                202,
                path + "/delegations/record",
                "{\"target_id\":\"%s\",\"task\":\"t\",\"delegation_id\":\"%s\"}".formatted(at.near(), id));
        return id;
    }

    /** Under the workspace's own id, by which its secret is known as that workspace's. */
    private String webhook(Spot at) {
        return put(
                "/webhooks/" + at.id(),
                "{\"to\":\"%s\",\"secret\":\"a-secret-of-some-length\"}".formatted(at.id()),
                at.id());
    }

    private String quarantined(Spot at) {
        String id = post(
                        201,
                        "/workspaces",
                        "{\"name\":\"Cut off\",\"external\":true,\"parent_id\":\"%s\"}".formatted(at.id()))
                .text("id");
        post(200, "/workspaces/" + id + "/quarantine", "{}");
        return id;
    }

    /** What waits until a person says that it needs nothing more. */
    private String inbox(Spot at) {
        String delegation = UUID.randomUUID().toString();
        stored.tell(
                "DELEGATION_FAILED",
                UUID.fromString(at.id()),
                JsonObject.of("outcome", "unknown", "delegation_id", delegation, "error", "e"));
        return await("the inbox to follow the log")
                .until(() -> stored.inboxRow(delegation), Optional::isPresent)
                .orElseThrow();
    }

    /** With a session and a token. */
    private String person() {
        var invited = post(201, "/people", "{\"login\":\"p%s\",\"role\":\"viewer\"}".formatted(UUID.randomUUID()));
        String id = invited.text("id");
        String session = services.accepted(invited, Stage.PASSWORD);
        var token = services.ask(
                201,
                Request.of("POST", "/people/me/tokens")
                        .with("Authorization: Bearer " + session)
                        .body("{\"name\":\"kept\"}"));
        kept.put("person", id);
        kept.put("person_token", token.text("id"));
        kept.put(
                "person_session",
                get("/people/" + id + "/sessions").at("/sessions/0/id").asText());
        return id;
    }

    private JsonNode get(String path) {
        return services.ask(200, Request.of("GET", path)).json();
    }

    private Answer post(int status, String path, String body) {
        return services.ask(status, Request.of("POST", path).body(body));
    }

    private String put(String path, String body, String name) {
        services.ask(200, Request.of("PUT", path).body(body));
        return name;
    }

    private Answer ofAnyAddress(int status, String path, String body) {
        return services.ask(
                status,
                Request.of("POST", path)
                        .with(EDGE, "X-Forwarded-For: " + UUID.randomUUID())
                        .body(body));
    }
}
