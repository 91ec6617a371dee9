package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Reach;
import ai.molecule.common.http.RoutePage;
import ai.molecule.system.routes.FourServices.Mode;
import ai.molecule.system.routes.Stage.Spot;
import ai.molecule.system.routes.StoredState.Snapshot;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every route, asked by those who may do something somewhere: whatever the answer, the tables of all services hold the same afterwards, but for
 * what belongs to the caller's branch. An owner who asks the same changes much, so that it is seen. What Redis
 * and the folders of agents and templates hold is not compared.
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WhatActionsTouchIT {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z_]+)}");
    private static final Set<String> WORDS =
            Set.of("id", "peer", "near", "uuid", "now", "password", "own_token", "own_session");

    /** Longer than a restart is put off, and than the platform's loops pause. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    private static final int LATEST = 3;

    private static final TouchingRows ROWS = TouchingRows.read();

    /** What belonged to callers before: what was begun there goes on. */
    private static final Set<UUID> WALKED = new HashSet<>();

    @SuppressWarnings("NullAway.Init")
    private static FourServices services;

    @SuppressWarnings("NullAway.Init")
    private static StoredState stored;

    @SuppressWarnings("NullAway.Init")
    private static Things things;

    @SuppressWarnings("NullAway.Init")
    private static String home;

    @SuppressWarnings("NullAway.Init")
    private static Spot outside;

    @BeforeAll
    static void start() {
        services = FourServices.start(
                Mode.PRODUCTION,
                Map.of("MOLECULE_PENDING_APPROVALS_MAX", "10000", "REMOTE_LIVENESS_STALE_AFTER", "3600"));
        stored = new StoredState(services.database());
        things = new Things(services, stored);
        home = made("\"name\":\"Home\",\"runtime\":\"echo\"");
        String elsewhere = made("\"name\":\"Elsewhere\",\"runtime\":\"echo\"");
        services.ask(
                200,
                Request.of("PUT", "/workspaces/" + elsewhere + "/tenant").body("{\"tenant\":\"other\"}"));
        String id = made("\"name\":\"Outside\",\"runtime\":\"echo\",\"parent_id\":\"%s\"".formatted(elsewhere));
        outside = new Spot(
                id,
                services.newPolling("\"name\":\"Near\",\"parent_id\":\"%s\"".formatted(id))
                        .id());
        allThings().forEach(thing -> things.kept(thing, outside));
    }

    @AfterAll
    static void stop() {
        services.close();
    }

    @Order(1)
    @ParameterizedTest
    @EnumSource(value = Actor.class, mode = EnumSource.Mode.EXCLUDE, names = "OWNER")
    void nothing_outside_a_callers_branch_is_otherwise_after_any_call(Actor actor) {
        var walk = new Walk(new Stage(services, stored, actor, home));

        ROWS.rows().forEach(walk::along);
        walk.end();

        assertThat(walk.strayed).as("what %s changed outside", actor).isEmpty();
        assertThat(walk.allowed)
                .as("what touching.txt allows, and happened")
                .isEqualTo(ROWS.allowedTo(actor));
        assertThat(walk.granted)
                .as("routes by which %s is granted something", actor)
                .hasSizeGreaterThan(actor.granted());
    }

    @Order(2)
    @Test
    void an_owner_who_asks_the_same_changes_much_and_each_route_has_a_request_that_somebody_is_granted() {
        var owner = new Walk(new Stage(services, stored, Actor.OWNER, home));
        var rows = ROWS.rows().stream()
                .filter(row -> !row.method.equals("GET"))
                .toList();
        rows.forEach(owner::alongUntilChanged);
        var agent = new Walk(new Stage(services, stored, Actor.AGENT, home));
        rows.stream()
                .filter(row -> !owner.granted.contains(row.name()))
                .forEach(agent::alongUntilChanged);

        assertThat(owner.changed)
                .as("routes by which an owner changed something")
                .hasSizeGreaterThan(Actor.OWNER.granted());
        var unanswered = changing();
        unanswered.removeAll(owner.granted);
        unanswered.removeAll(agent.granted);
        assertThat(unanswered)
                .as("routes of which touching.txt says that nobody is granted anything: give others a request there")
                .isEqualTo(ROWS.unanswered().keySet());
    }

    /** Routes that may change something, by their routers' pages. */
    private static Set<String> changing() {
        return services.routes().values().stream()
                .flatMap(List::stream)
                .filter(entry -> !entry.method().equals(HttpMethod.GET) && entry.reach() != Reach.NOTHING)
                .map(WhatActionsTouchIT::nameOf)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String nameOf(RoutePage.Entry entry) {
        return entry.method() + " " + entry.path();
    }

    private static Set<String> allThings() {
        var all = new TreeSet<String>();
        ROWS.rows().forEach(row -> all.addAll(thingsOf(row)));
        return all;
    }

    private static Set<String> placeholders(RouteRow row) {
        var found = new TreeSet<String>();
        row.request(text -> {
            PLACEHOLDER.matcher(text).results().forEach(one -> found.add(one.group(1)));
            return text;
        });
        return found;
    }

    private static Set<String> thingsOf(RouteRow row) {
        var named = placeholders(row);
        named.removeAll(WORDS);
        return named;
    }

    private static String made(String members) {
        return services.ask(201, Request.of("POST", "/workspaces").body("{%s}".formatted(members)))
                .text("id");
    }

    /**
     * Where a request is aimed.
     *
     * @param at the workspace in question
     * @param peer another one, which it names
     * @param things where the things are that it names
     */
    private record Aim(String called, Spot at, String peer, Spot things) {}

    /** One caller on its way over all routes. */
    private static final class Walk {

        final List<String> strayed = new ArrayList<>();

        /** Routes that are no GET, answered 2xx. */
        final Set<String> granted = new TreeSet<>();

        final Set<String> changed = new TreeSet<>();
        final Set<String> allowed = new TreeSet<>();
        private final Stage stage;
        private final List<String> latest = new ArrayList<>();
        private Snapshot before;

        Walk(Stage stage) {
            this.stage = stage;
            if (!stage.actor().changesThings()) {
                for (var spot : List.of(stage.top(), stage.below())) {
                    allThings().forEach(thing -> things.kept(thing, spot));
                }
            }
            before = settled();
        }

        void along(RouteRow row) {
            aims(row).forEach(aim -> ask(row, aim));
        }

        void alongUntilChanged(RouteRow row) {
            for (var aim : List.of(within(), reachingOut())) {
                if (!changed.contains(row.name())) {
                    ask(row, aim);
                }
            }
        }

        /** What comes later is of one of the calls, too. */
        void end() {
            compare(settled(), "", "after all calls");
            WALKED.addAll(stage.territory().own());
        }

        private List<Aim> aims(RouteRow row) {
            var named = placeholders(row);
            boolean hasThings = !thingsOf(row).isEmpty();
            boolean isAimed = hasThings || named.contains("id") || named.contains("peer") || named.contains("near");
            var aims = new ArrayList<>(List.of(within()));
            if (isAimed) {
                aims.add(new Aim("at one outside", outside, stage.top().id(), outside));
            }
            if (isAimed && !row.method.equals("GET")) {
                aims.add(reachingOut());
            }
            if (hasThings) {
                aims.add(new Aim("with what is outside", stage.top(), stage.top().near(), outside));
            }
            return aims;
        }

        private Aim within() {
            return new Aim("within", stage.below(), stage.below().near(), stage.below());
        }

        private Aim reachingOut() {
            return new Aim("reaching out", stage.top(), outside.id(), stage.top());
        }

        private void ask(RouteRow row, Aim aim) {
            var request = row.request(text -> filled(text, aim));
            if (things.madeSome()) {
                stage.territory().grow();
                before = stage.actor().hasBranch() ? before : read();
            }
            var answer = Answer.to(services.port(row.door()), stage.shown(request));
            boolean done = answer.status() > 0 && answer.status() < 300;
            note("%s %s -> %d".formatted(aim.called, request, answer.status()));
            boolean mayChange = done && !row.method.equals("GET");
            if (mayChange) {
                granted.add(row.name());
                var moved = stage.territory().grow();
                moved.forEach(one -> strayed.add("%s went elsewhere: %s".formatted(one, latest)));
            }
            var after = read();
            if (!after.differing(before).isEmpty()) {
                if (mayChange) {
                    changed.add(row.name());
                }
                compare(after, done ? row.name() : "", latest.toString());
            }
            before = after;
            if (mayChange && stage.renewIfWornOut()) {
                before = stage.actor().hasBranch() ? before : read();
            }
        }

        private void note(String call) {
            latest.addFirst(call);
            if (latest.size() > LATEST) {
                latest.removeLast();
            }
        }

        private void compare(Snapshot after, String grantedRoute, String when) {
            if (stage.actor() == Actor.OWNER) {
                return;
            }
            for (String table : after.differing(before)) {
                String change = "%s %s %s".formatted(grantedRoute, stage.actor(), table);
                if (ROWS.allowed().contains(change)) {
                    allowed.add(change);
                } else {
                    strayed.add(stored.difference(table, before, after, own()) + "\n" + when);
                }
            }
        }

        private Set<UUID> own() {
            var own = new HashSet<>(WALKED);
            own.addAll(stage.territory().own());
            return own;
        }

        private Snapshot read() {
            return stored.read(own());
        }

        /** When what was begun before is over. */
        private Snapshot settled() {
            var last = new AtomicReference<>(read());
            await("what was begun to be over").during(QUIET).until(() -> {
                var now = read();
                return now.differing(last.getAndSet(now)).isEmpty();
            });
            return last.get();
        }

        private String filled(String text, Aim aim) {
            return PLACEHOLDER
                    .matcher(text)
                    .replaceAll(found -> Matcher.quoteReplacement(
                            switch (found.group(1)) {
                                case "id" -> aim.at.id();
                                case "peer" -> aim.peer;
                                case "near" -> aim.at.near();
                                case "uuid" -> UUID.randomUUID().toString();
                                case "now" -> Instant.now().toString();
                                case "password" -> Stage.PASSWORD;
                                case "own_token" -> stage.ownToken();
                                case "own_session" -> stage.ownSession();
                                default -> thing(found.group(1), aim.things);
                            }));
        }

        /** A new one where this caller may use it up. */
        private String thing(String name, Spot at) {
            boolean usedUp = Things.isOfTheOrganization(name)
                    ? stage.actor() == Actor.OWNER
                    : stage.actor().changesThings() && !at.equals(outside);
            return usedUp ? things.fresh(name, at) : things.kept(name, at);
        }
    }
}
