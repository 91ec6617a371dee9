package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Reach;
import ai.molecule.common.http.RoutePage;
import ai.molecule.system.routes.FourServices.Mode;
import ai.molecule.system.routes.Stage.Spot;
import ai.molecule.system.routes.StoredState.Scope;
import ai.molecule.system.routes.StoredState.Snapshot;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;
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
 * Every route, asked by those who may do something somewhere: whatever the answer, the tables of all services and the folder of templates hold the
 * same afterwards, but for what belongs to the caller's branch; and so does what the organization set on that branch. An owner who asks the same
 * changes something with each route, so that it would be seen. What Redis and the folders of agents hold is not compared.
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WhatActionsTouchIT {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z_]+)}");
    private static final Set<String> WORDS =
            Set.of("id", "peer", "near", "uuid", "now", "password", "own_token", "own_session", "own_person");

    /** There are these where the organization holds a workspace. */
    private static final Set<String> HELD_THINGS = Set.of("rule", "ruled");

    /** Longer than a restart is put off, and than the platform's loops pause. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    /** What is changed behind an answer is changed by then. */
    private static final Duration BEHIND_AN_ANSWER = Duration.ofSeconds(10);

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

    /** Below another child of {@link #home}: of the same tenant, and neither parent nor sibling of anybody who walks. */
    @SuppressWarnings("NullAway.Init")
    private static Spot beside;

    @SuppressWarnings("NullAway.Init")
    private static Spot ofAnotherTenant;

    @BeforeAll
    static void start() {
        services = FourServices.start(
                Mode.PRODUCTION,
                Map.of("MOLECULE_PENDING_APPROVALS_MAX", "10000", "REMOTE_LIVENESS_STALE_AFTER", "3600"));
        stored = new StoredState(services.database(), services.templates());
        things = new Things(services, stored);
        home = made("\"name\":\"Home\",\"runtime\":\"echo\"");
        beside = below(made("\"name\":\"Beside\",\"runtime\":\"echo\",\"parent_id\":\"%s\"".formatted(home)));
        String elsewhere = made("\"name\":\"Elsewhere\",\"runtime\":\"echo\"");
        services.ask(
                200, Request.of("PUT", "/workspaces/" + elsewhere + "/tenant").body("{\"tenant\":\"other\"}"));
        ofAnotherTenant = below(elsewhere);
        for (var outside : List.of(beside, ofAnotherTenant)) {
            allThings().forEach(thing -> things.kept(thing, outside));
        }
    }

    private static Spot below(String parent) {
        String id = made("\"name\":\"Outside\",\"runtime\":\"echo\",\"parent_id\":\"%s\"".formatted(parent));
        return new Spot(
                id,
                services.newPolling("\"name\":\"Near\",\"parent_id\":\"%s\"".formatted(id))
                        .id());
    }

    @AfterAll
    static void stop() {
        services.close();
    }

    @Order(1)
    @ParameterizedTest
    @EnumSource(value = Actor.class, mode = EnumSource.Mode.EXCLUDE, names = "OWNER")
    void nothing_outside_a_callers_branch_is_otherwise_after_any_call(Actor actor) {
        var walk = new Walk(actor, false);

        ROWS.rows().forEach(walk::along);
        walk.end();

        assertThat(walk.strayed).as("what %s changed outside", actor).isEmpty();
        assertThat(walk.allowed).as("what touching.txt allows, and happened").isEqualTo(ROWS.allowedTo(actor));
        assertThat(walk.granted)
                .as("routes by which %s is granted something", actor)
                .hasSizeGreaterThan(actor.granted());
    }

    @Order(2)
    @Test
    void an_owner_who_asks_the_same_changes_much_and_each_route_has_a_request_that_somebody_is_granted() {
        var owner = new Walk(Actor.OWNER, true);
        var rows = ROWS.rows().stream()
                .filter(row -> !row.method.equals("GET"))
                .collect(Collectors.groupingBy(RouteRow::name, LinkedHashMap::new, Collectors.toList()));
        rows.forEach(owner::alongUntilChanged);
        var agent = new Walk(Actor.AGENT, true);
        rows.keySet().removeAll(owner.granted);
        rows.forEach(agent::alongUntilChanged);

        assertThat(owner.changed)
                .as("routes by which an owner changed something")
                .hasSizeGreaterThan(Actor.OWNER.granted());
        var unanswered = changing();
        unanswered.removeAll(owner.granted);
        unanswered.removeAll(agent.granted);
        assertThat(unanswered)
                .as("routes of which touching.txt says that nobody is granted anything: give others a request there")
                .isEqualTo(ROWS.unanswered().keySet());
        var unchanged = changing();
        unchanged.removeAll(unanswered);
        unchanged.removeAll(owner.changed);
        unchanged.removeAll(agent.changed);
        assertThat(unchanged)
                .as(
                        "routes that change nothing that is compared: give others a request in touching.txt, or say there why none is seen")
                .isSubsetOf(ROWS.unseen().keySet());
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
        private final Spot outside;
        private final boolean countsAll;
        private final List<String> latest = new ArrayList<>();
        private Snapshot before;

        /** @param countsAll whether it is asked what is changed at all, instead of what outside */
        Walk(Actor actor, boolean countsAll) {
            stage = new Stage(services, stored, things, actor, home);
            outside = actor == Actor.TENANT_OPERATOR ? ofAnotherTenant : beside;
            this.countsAll = countsAll;
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

        /** All rows of one route. */
        void alongUntilChanged(String route, List<RouteRow> rows) {
            for (var row : rows) {
                for (var aim : List.of(within(), reachingOut())) {
                    if (!changed.contains(route)) {
                        ask(row, aim);
                    }
                }
            }
            if (granted.contains(route)
                    && !changed.contains(route)
                    && !ROWS.unseen().containsKey(route)) {
                awaitChange(route);
            }
        }

        /** Some is written behind the answer. */
        private void awaitChange(String route) {
            var last = new AtomicReference<>(before);
            try {
                await().atMost(BEHIND_AN_ANSWER).until(() -> {
                    last.set(read());
                    return !last.get().differing(before).isEmpty();
                });
                changed.add(route);
            } catch (ConditionTimeoutException nothing) {
                // and the assertion about all routes says so
            }
            before = last.get();
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
                aims.add(
                        new Aim("with what is outside", stage.top(), stage.top().near(), outside));
            }
            if (isAimed
                    && stage.actor().isOperator()
                    && !row.method.equals("GET")
                    && HELD_THINGS.containsAll(thingsOf(row))) {
                var held = stage.held();
                aims.add(new Aim("at what the organization holds", held, held.near(), held));
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
                before = afterAdministrators();
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
                before = afterAdministrators();
            }
        }

        /** What they make for somebody with a branch is all in it, but for what the organization set. */
        private Snapshot afterAdministrators() {
            return stage.actor().hasBranch() && !countsAll
                    ? before.with(read(), StoredState.OF_ADMINISTRATORS)
                    : read();
        }

        private void note(String call) {
            latest.addFirst(call);
            if (latest.size() > LATEST) {
                latest.removeLast();
            }
        }

        private void compare(Snapshot after, String grantedRoute, String when) {
            if (countsAll) {
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
            if (!countsAll) {
                own.addAll(stage.territory().own());
            }
            return own;
        }

        private Snapshot read() {
            return stored.read(new Scope(own(), Set.copyOf(stage.bound()), stage.actor() == Actor.AGENT));
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
                                case "own_person" -> stage.ownPerson();
                                default -> thing(found.group(1), aim.things);
                            }));
        }

        /** A new one where this caller may use it up. */
        private String thing(String name, Spot at) {
            boolean usedUp = Things.isOfTheOrganization(name)
                    ? stage.actor() == Actor.OWNER
                    : stage.actor().changesThings() && !at.equals(outside) && !at.equals(stage.held());
            return usedUp ? things.fresh(name, at) : things.kept(name, at);
        }
    }
}
