package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import ai.molecule.system.routes.FourServices.Mode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What somebody with nothing but the address of a production platform gets out of it by asking about ids, and by pretending. */
@Tag("full")
class StrangersLearnNothingIT {

    private static final List<Credential> STRANGERS = List.of(Credential.NONE, Credential.EMPTY, Credential.GARBAGE);

    private static final List<String> PRETENCES = List.of(
            "Origin: http://localhost:3000",
            "Origin: http://127.0.0.1",
            "X-Molecule-Agents-Entrance: 1",
            "X-Molecule-Edge: guess",
            "X-Forwarded-For: 127.0.0.1",
            "X-Forwarded-Host: localhost",
            "X-HTTP-Method-Override: GET",
            "X-Original-URL: /health",
            "X-Workspace-ID: {id}",
            "X-Source-Workspace-Id: {id}",
            "Authorization: Basic YWRtaW46YWRtaW4=");

    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** Headers that differ between any two answers. */
    private static final Pattern OF_ITS_OWN =
            Pattern.compile("(x-request-id|date|expires|x-ratelimit-remaining|x-ratelimit-reset): [^\r\n]*");

    private static final List<RouteRow> ROWS = RouteRow.read();
    private static final Policies POLICIES = Policies.read();

    @SuppressWarnings("NullAway.Init")
    private static FourServices services;

    @BeforeAll
    static void start() {
        services = FourServices.start(Mode.PRODUCTION);
    }

    @AfterAll
    static void stop() {
        services.close();
    }

    @Test
    void every_workspace_is_answered_about_as_one_that_nobody_has() {
        var kinds = kinds();
        var told = new ArrayList<String>();
        for (var row : rowsAboutAWorkspace()) {
            for (var door : doors(row)) {
                for (var credential : STRANGERS) {
                    String nobody =
                            answer(row, door, credential, UUID.randomUUID().toString());
                    kinds.forEach((kind, id) -> {
                        String answered = answer(row, door, credential, id);
                        if (!answered.equals(nobody)) {
                            told.add("%s at %s with %s, %s: %s instead of %s"
                                    .formatted(row, door, credential.column, kind, answered, nobody));
                        }
                    });
                }
            }
        }
        assertThat(told).isEmpty();
    }

    /** Below another root it is near nobody that the agent is near. */
    @Test
    void an_agent_is_answered_about_a_workspace_it_may_not_talk_to_as_about_one_that_nobody_has() {
        var agent = services.newTarget();
        String token = agent.otherToken();
        String hidden = made("\"external\":true,\"parent_id\":\"%s\"".formatted(made("\"external\":true")));
        var told = new ArrayList<String>();
        for (var row : rowsAboutAWorkspace()) {
            if (row.expected(POLICIES, Mode.PRODUCTION, Credential.OTHER) < 400) {
                continue;
            }
            String nobody =
                    answer(row, row.owner, Credential.OTHER, UUID.randomUUID().toString(), token);
            String answered = answer(row, row.owner, Credential.OTHER, hidden, token);
            if (!answered.equals(nobody)) {
                told.add("%s: %s instead of %s".formatted(row, answered, nobody));
            }
        }
        for (var asked : talking(agent)) {
            String nobody = masked(Answer.to(
                    services.port(Owner.PROXY), asked.apply(UUID.randomUUID().toString())));
            String answered = masked(Answer.to(services.port(Owner.PROXY), asked.apply(hidden)));
            if (!answered.equals(nobody)) {
                told.add("%s: %s instead of %s".formatted(asked.apply(hidden), answered, nobody));
            }
        }
        assertThat(told).isEmpty();
    }

    /** What is of all together is to them what is of theirs; what is beside it is nowhere. */
    @Test
    void people_of_a_branch_are_told_what_is_in_it_and_nothing_of_what_is_beside_it() {
        var ours = services.newTarget();
        String kim = ours.people().branch();
        String other = ours.peer();
        String work = services.ask(201, work("Ours", ours.id())).text("id");
        String hidden = services.ask(201, work("Theirs", other)).text("id");
        for (String id : List.of(ours.id(), other)) {
            services.ask(
                    201, Request.of("POST", "/workspaces/" + id + "/approvals").body("{\"action\":\"a\"}"));
            services.ask(
                    201,
                    Request.of("POST", "/workspaces/" + id + "/schedules")
                            .body("{\"name\":\"n\",\"cron_expr\":\"0 9 * * *\",\"prompt\":\"p\"}"));
            services.ask(
                    200,
                    Request.of("PUT", "/webhooks/" + id)
                            .body("{\"to\":\"%s\",\"secret\":\"a-secret-of-some-length\"}".formatted(id)));
        }
        invited(ours.id());
        ruled(ours.id());
        String guest = invited(other);
        String rule = ruled(other);

        for (String all : List.of(
                "/work",
                "/approvals/pending",
                "/admin/schedules/health",
                "/audit",
                "/org",
                "/workspaces",
                "/invitations",
                "/instructions",
                "/webhooks",
                "/usage?by=agent",
                "/usage?by=team")) {
            String shown = asKim(kim, 200, Request.of("GET", all)).body();
            assertThat(shown).as(all).doesNotContain(other, hidden);
            if (!all.startsWith("/usage")) {
                assertThat(shown).as(all).contains(ours.id());
            }
        }
        assertThat(asKim(kim, 200, Request.of("GET", "/work/" + work)).text("title"))
                .isEqualTo("Ours");
        assertThat(asKim(kim, 200, Request.of("PATCH", "/work/" + work).body("{\"limit\":2}"))
                        .json()
                        .path("limit")
                        .asInt())
                .isEqualTo(2);
        asKim(kim, 201, work("Mine", ours.id()));
        var asked = List.<Function<String, Request>>of(
                id -> Request.of("GET", "/work/" + id),
                id -> Request.of("PATCH", "/work/" + id).body("{\"limit\":2}"),
                id -> Request.of("GET", "/work?after=" + id));
        for (var one : asked) {
            assertThat(masked(Answer.to(
                            services.port(Owner.PROXY), one.apply(hidden).with(bearer(kim)))))
                    .as("%s", one.apply(hidden))
                    .isEqualTo(masked(Answer.to(
                            services.port(Owner.PROXY),
                            one.apply(UUID.randomUUID().toString()).with(bearer(kim)))));
        }
        var kept = Map.<String, Function<String, Request>>of(
                guest, id -> Request.of("DELETE", "/invitations/" + id),
                rule, id -> Request.of("DELETE", "/instructions/" + id),
                other, id -> Request.of("DELETE", "/webhooks/" + id));
        kept.forEach((hiddenOne, one) -> assertThat(masked(Answer.to(
                        services.port(Owner.PROXY), one.apply(hiddenOne).with(bearer(kim)))))
                .as("%s", one.apply(hiddenOne))
                .isEqualTo(masked(Answer.to(
                        services.port(Owner.PROXY),
                        one.apply(UUID.randomUUID().toString()).with(bearer(kim))))));
        String mine = "{\"to\":\"%s\",\"secret\":\"another-secret-of-some-length\"}".formatted(ours.id());
        assertThat(asKim(kim, 409, Request.of("PUT", "/webhooks/" + other).body(mine))
                        .text("error"))
                .isEqualTo("this type is taken");
        asKim(kim, 200, Request.of("PUT", "/webhooks/" + ours.id()).body(mine));
        var about = List.<Function<String, Request>>of(
                id -> work("Not mine", id),
                id -> Request.of("GET", "/bundles/export/" + id),
                id -> Request.of("POST", "/invitations").body("{\"name\":\"Spy\",\"parent_id\":\"%s\"}".formatted(id)),
                id -> Request.of("POST", "/instructions")
                        .body("{\"scope\":\"team\",\"scope_target\":\"%s\",\"title\":\"t\",\"content\":\"c\"}"
                                .formatted(id)),
                id -> Request.of("PUT", "/webhooks/a-new-one")
                        .body("{\"to\":\"%s\",\"secret\":\"a-secret-of-some-length\"}".formatted(id)),
                id -> Request.of("GET", "/explain?caller=" + ours.id() + "&target=" + id),
                id -> Request.of("GET", "/explain?caller=" + id + "&target=" + ours.id()));
        for (var one : about) {
            assertThat(masked(Answer.to(
                            services.port(Owner.PROXY), one.apply(other).with(bearer(kim)))))
                    .as("%s", one.apply(other))
                    .isEqualTo(masked(Answer.to(
                            services.port(Owner.PROXY),
                            one.apply(UUID.randomUUID().toString()).with(bearer(kim)))));
        }
        asKim(kim, 200, Request.of("GET", "/explain?caller=person&target=" + ours.id()));
    }

    private String invited(String parent) {
        return services.ask(
                        201,
                        Request.of("POST", "/invitations")
                                .body("{\"name\":\"Guest\",\"parent_id\":\"%s\"}".formatted(parent)))
                .text("invitation_id");
    }

    private String ruled(String target) {
        return services.ask(
                        201,
                        Request.of("POST", "/instructions")
                                .body("{\"scope\":\"team\",\"scope_target\":\"%s\",\"title\":\"t\",\"content\":\"c\"}"
                                        .formatted(target)))
                .text("id");
    }

    private static Request work(String title, String to) {
        return Request.of("POST", "/work").body("{\"title\":\"%s\",\"to\":\"%s\"}".formatted(title, to));
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    private static Answer asKim(String token, int status, Request request) {
        return services.ask(status, request.with(bearer(token)));
    }

    /** What an agent asks with its own token to find, and to talk to, the workspace with an id. */
    private static List<Function<String, Request>> talking(Target agent) {
        String self = agent.peer();
        List<String> proven = List.of("Authorization: Bearer " + agent.otherToken(), "X-Workspace-ID: " + self);
        String message = "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[]}}}";
        return List.of(
                id -> Request.of("GET", "/registry/discover/" + id).with(proven),
                id -> Request.of("POST", "/registry/check-access")
                        .with(proven)
                        .body("{\"caller_id\":\"%s\",\"target_id\":\"%s\"}".formatted(self, id)),
                id -> Request.of("POST", "/workspaces/" + id + "/a2a")
                        .with(proven)
                        .body(message),
                id -> Request.of("GET", "/workspaces/" + id + "/a2a/tasks/x").with(proven),
                id -> Request.of("POST", "/workspaces/" + self + "/delegate")
                        .with(proven)
                        .body("{\"target_id\":\"%s\",\"task\":\"look\"}".formatted(id)));
    }

    @Test
    void no_header_makes_somebody_of_a_stranger() {
        var target = services.newTarget();
        var opened = new ArrayList<String>();
        for (var row : ROWS) {
            for (var credential : STRANGERS) {
                if (row.expected(POLICIES, Mode.PRODUCTION, credential) < 400) {
                    continue;
                }
                for (String pretence : PRETENCES) {
                    var request = row.request(target).with(target.fill(pretence));
                    if (!pretence.startsWith("Authorization")) {
                        request = request.with(credential.headers(target));
                    }
                    var answer = Answer.to(services.port(row.owner), request);
                    if (answer.status() < 400) {
                        opened.add("%s with %s and %s: %s".formatted(row, credential.column, pretence, answer));
                    }
                }
            }
        }
        assertThat(opened).isEmpty();
    }

    @Test
    void no_spelling_of_a_path_and_no_other_method_opens_what_is_closed() {
        var target = services.newTarget();
        var opened = new ArrayList<String>();
        for (var row : ROWS) {
            if (isOpen(row) || row.path.equals("/session")) { // which anybody may GET
                continue;
            }
            var request = row.request(target);
            var tried = new ArrayList<>(
                    spelled(request.target()).map(request::target).toList());
            for (String method : List.of("HEAD", "OPTIONS", "TRACE", "get", "CONNECT")) {
                tried.add(new Request(method, request.target(), request.headers(), request.body()));
            }
            for (var door : doors(row)) {
                for (var one : tried) {
                    var answer = Answer.to(services.port(door), one);
                    if (answer.status() != 0 && answer.status() < 400) {
                        opened.add("%s at %s: %s".formatted(one, door, answer));
                    }
                }
            }
        }
        assertThat(opened).isEmpty();
    }

    private static boolean isOpen(RouteRow row) {
        return row.expected(POLICIES, Mode.PRODUCTION, Credential.NONE) < 400;
    }

    /** Ways to write a target by which something that looks at it might take it for another one. */
    private static Stream<String> spelled(String target) {
        String path = target.split("\\?", 2)[0];
        String query = target.substring(path.length());
        String escaped = "/%%%02x".formatted((int) path.charAt(1)) + path.substring(2);
        return Stream.of(
                        path + "/",
                        path + "//",
                        "/" + path,
                        "/." + path,
                        "/health/.." + path,
                        "/health/%2e%2e" + path,
                        "/ui/..%2f" + path.substring(1),
                        path + ";a=b",
                        path + "%3b",
                        path + "%20",
                        path + "%2f",
                        path + ".json",
                        path.toUpperCase(Locale.ROOT),
                        escaped,
                        "http://127.0.0.1" + path)
                .map(spelling -> spelling + query);
    }

    /** One of each kind that a registry tells apart. */
    private static Map<String, String> kinds() {
        var kinds = new LinkedHashMap<String, String>();
        kinds.put("managed", services.newTarget().id());
        kinds.put("managed without a token", made("\"runtime\":\"echo\""));
        String external = made("\"external\":true");
        kinds.put("external", external);
        kinds.put("whose tokens were revoked", withoutTokens(made("\"external\":true")));
        String removed = made("\"external\":true");
        services.ask(200, Request.of("DELETE", "/workspaces/" + removed + "?confirm=true"));
        kinds.put("removed", removed);
        for (String cut : List.of("pause", "quarantine")) {
            String id = made("\"runtime\":\"echo\"");
            services.ask(200, Request.of("POST", "/workspaces/" + id + "/" + cut));
            kinds.put(cut + "d", id);
        }
        return kinds;
    }

    private static String made(String kind) {
        String body = "{\"name\":\"%s\",%s}".formatted(UUID.randomUUID(), kind);
        return services.ask(201, Request.of("POST", "/workspaces").body(body)).text("id");
    }

    private static String withoutTokens(String id) {
        String tokens = "/workspaces/" + id + "/tokens";
        services.ask(200, Request.of("GET", tokens))
                .json()
                .path("tokens")
                .forEach(token -> services.ask(
                        200,
                        Request.of("DELETE", tokens + "/" + token.path("id").asText())));
        return id;
    }

    private static List<RouteRow> rowsAboutAWorkspace() {
        var nobody = new Target(Target.NOBODY, Target.NOBODY, "", "", "", "", "");
        return ROWS.stream()
                .filter(row -> row.request(nobody).toString().contains(Target.NOBODY))
                .toList();
    }

    /** Status, headers and words, whatever ids and times are in them. */
    private static String answer(RouteRow row, Owner door, Credential credential, String id) {
        return answer(row, door, credential, id, "");
    }

    private static String answer(RouteRow row, Owner door, Credential credential, String id, String otherToken) {
        var target = new Target(id, id, "", "", otherToken, "", "");
        return masked(Answer.to(services.port(door), row.request(target).with(credential.headers(target))));
    }

    private static String masked(Answer answer) {
        String head = OF_ITS_OWN.matcher(answer.head()).replaceAll("");
        return ID.matcher(head + answer.body()).replaceAll("<id>");
    }

    private static List<Owner> doors(RouteRow row) {
        boolean passedOn = RoutingTable.ownerOf(row.path).equals(Optional.of(row.owner));
        return passedOn && row.owner != Owner.PROXY ? List.of(row.owner, Owner.PROXY) : List.of(row.owner);
    }
}
