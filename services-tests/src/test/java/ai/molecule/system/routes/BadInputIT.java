package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.routing.Owner;
import ai.molecule.system.routes.FourServices.Mode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What no client should send, to every route: it is taken, or refused with a 4xx that says why in JSON. Never a 500, never
 * silence; what was refused has stored nothing, and what was taken can be read.
 */
@Tag("full")
class BadInputIT {

    private static final Pattern WITHOUT_BACKEND = Pattern.compile(
            "workspace container not running|provisioner not available|there is no console here"
                    + "|workspace not registered|workspace URL is not publicly routable|github webhook secret is not configured");

    private static final List<RouteRow> ROWS = RouteRow.read();
    private static final Policies POLICIES = Policies.read();
    private static FourServices services;
    private static Target target;

    /** One request to one service. */
    private record Attempt(Owner door, Request request) {

        Answer make() {
            return Answer.to(services.port(door), request);
        }
    }

    private static final int ROUNDS = 3;

    @BeforeAll
    static void start() {
        services = FourServices.start(Mode.PRODUCTION);
        target = services.newTarget();
    }

    @AfterAll
    static void stop() {
        services.close();
    }

    @Test
    void a_body_that_is_no_json_object_is_refused() {
        var refused = walk(bodies(row -> Spoiled.wholes()), answer -> answer.status() == 400 && answer.isError());

        storeNothing(refused);
    }

    @Test
    void a_body_beyond_what_is_read_is_refused() {
        walk(bodies(row -> List.of(larger(row.readsBytes()))), answer -> answer.status() == 413 && answer.isError());
    }

    @Test
    void a_member_that_makes_no_sense_is_refused_or_taken() {
        var refused = walk(bodies(row -> Spoiled.members(row.request(target).text())), BadInputIT::isOrderly);

        storeNothing(refused);
    }

    @Test
    void strange_ids_and_queries_are_refused_or_taken() {
        var attempts = ROWS.stream()
                .flatMap(row -> Stream.concat(strangePaths(row), strangeQueries(admitted(row)))
                        .map(strange -> new Attempt(row.owner, strange)))
                .toList();

        var refused = walk(attempts, BadInputIT::isOrderly);

        storeNothing(refused);
    }

    @ParameterizedTest
    @EnumSource(Owner.class)
    void what_is_no_http_is_answered_in_json_and_cut(Owner owner) {
        var wrong = new ArrayList<String>();
        for (var request : Malformed.REQUESTS) {
            var answer = Answer.to(services.port(owner), request.bytes());
            if (answer.status() != request.status() || !answer.isError()) {
                wrong.add(request + " -> " + answer);
            }
        }
        assertThat(wrong).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Owner.class)
    void a_request_that_ends_early_is_not_waited_for(Owner owner) {
        for (String request : Malformed.ENDING_EARLY) {
            var answer = Answer.toOneWhoLeaves(services.port(owner), request.getBytes(StandardCharsets.ISO_8859_1));

            assertThat(answer.status()).as(request + " -> " + answer).isLessThan(500);
        }
    }

    @Test
    void strange_headers_are_refused_or_ignored() {
        var attempts = ROWS.stream()
                .filter(row -> row.method.equals("GET") || row.hasBody())
                .flatMap(row -> Malformed.HEADERS.stream()
                        .map(header -> new Attempt(row.owner, admitted(row).with(header))))
                .toList();

        walk(attempts, BadInputIT::isOrderly);
    }

    private static byte[] larger(long bytes) {
        return ("{\"x\":\"" + "x".repeat((int) bytes) + "\"}").getBytes(StandardCharsets.UTF_8);
    }

    /** There is no backend and no agent here, and some say so. */
    private static boolean isOrderly(Answer answer) {
        boolean unavailable =
                answer.status() > 500 && WITHOUT_BACKEND.matcher(answer.body()).find();
        boolean answered = unavailable || (answer.status() > 0 && answer.status() < 500);
        return answered && (answer.status() < 400 || answer.isJson());
    }

    /** Makes every attempt, then reads everything; answers those that were refused. */
    private static List<Attempt> walk(List<Attempt> attempts, Predicate<Answer> good) {
        var wrong = new ArrayList<String>();
        var refused = new ArrayList<Attempt>();
        for (var attempt : attempts) {
            var answer = attempt.make();
            if (!good.test(answer)) {
                wrong.add(attempt + " -> " + answer.status() + " " + answer.body());
            } else if (answer.status() >= 400) {
                refused.add(attempt);
            } else if (!attempt.request.method().equals("GET")) {
                services.ask(200, Request.of("GET", "/workspaces/" + target.id()));
            }
        }
        assertThat(wrong).as("answers that nobody should get").isEmpty();
        everythingIsReadable();
        return refused;
    }

    private static void everythingIsReadable() {
        for (var row : ROWS) {
            if (row.method.equals("GET")) {
                var answer = new Attempt(row.owner, admitted(row).withoutQuery()).make();
                assertThat(answer).as(row.toString()).matches(BadInputIT::isOrderly);
            }
        }
    }

    /**
     * Once more what was refused, between two looks at what there is. What the platform does by itself in between, such as to give an
     * agent up that nobody reached, it does once; what a request stores, it stores each time.
     */
    private static void storeNothing(List<Attempt> refused) {
        String before = "";
        String after = "";
        for (int round = 0; round < ROUNDS && (round == 0 || !after.equals(before)); round++) {
            before = settled();

            var taken = refused.stream()
                    .filter(attempt -> attempt.make().status() < 400)
                    .toList();

            assertThat(taken).as("refused once, taken the second time").isEmpty();
            after = state();
        }
        assertThat(after).isEqualTo(before);
    }

    /** What there is once all that was taken arrived. */
    private static String settled() {
        var last = new AtomicReference<>("");
        await("what was taken to arrive")
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofSeconds(3))
                .until(() -> {
                    String now = state();
                    return now.equals(last.getAndSet(now));
                });
        return last.get();
    }

    /** How many rows each table has, and what the two workspaces look like. */
    private static String state() {
        var seen = new StringBuilder();
        for (String table : services.tables()) {
            seen.append(table).append(' ').append(services.count(table)).append('\n');
        }
        for (String path : List.of("/workspaces/" + target.id(), "/workspaces/" + target.peer(), "/canvas/viewport")) {
            var shown = (ObjectNode) services.ask(200, Request.of("GET", path)).json();
            shown.remove("last_outbound_at");
            seen.append(shown).append('\n');
        }
        return seen.toString();
    }

    private interface Bodies {
        List<?> of(RouteRow row);
    }

    private static List<Attempt> bodies(Bodies spoiled) {
        return ROWS.stream()
                .filter(RouteRow::hasBody)
                .flatMap(row -> spoiled.of(row).stream()
                        .map(body -> new Attempt(
                                row.owner,
                                body instanceof byte[] bytes
                                        ? admitted(row).body(bytes)
                                        : admitted(row).body((String) body))))
                .toList();
    }

    /** As somebody who may. */
    private static Request admitted(RouteRow row) {
        var shown = Stream.of(Credential.OWN, Credential.ADMIN, Credential.OWNER)
                .filter(one -> POLICIES.status(row.policy, services.mode, one) == Policies.PASS)
                .findFirst()
                .orElse(Credential.NONE);
        return row.request(target).with(shown.headers(target));
    }

    private static Stream<Request> strangePaths(RouteRow row) {
        var request = admitted(row);
        int query = request.target().indexOf('?');
        String rest = query < 0 ? "" : request.target().substring(query);
        return row.parameters().stream()
                .flatMap(spoiled -> Spoiled.SEGMENTS.stream()
                        .map(segment -> row.path(name -> name.equals(spoiled) ? segment : Target.NOBODY) + rest))
                .map(request::target);
    }

    private static Stream<Request> strangeQueries(Request request) {
        String[] parts = request.target().split("\\?", 2);
        if (parts.length == 1) {
            return Stream.of(request.target(parts[0] + "?%41=%zz&=&&a=%ff"));
        }
        return Stream.of(parts[1].split("&", -1))
                .map(pair -> pair.split("=", 2)[0])
                .flatMap(name -> Spoiled.PARAMETERS.stream()
                        .flatMap(value -> Stream.of(
                                parts[0] + "?" + name + "=" + value, request.target() + "&" + name + "=" + value)))
                .map(request::target);
    }
}
