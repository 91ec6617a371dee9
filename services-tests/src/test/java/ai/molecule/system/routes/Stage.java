package ai.molecule.system.routes;

import ai.molecule.common.routing.Owner;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/** A caller with a workspace of its own and some below it, made anew when a call wore any of them out. */
final class Stage {

    static final String TENANT = "acme";
    static final String PASSWORD = "the password of whoever walks";

    /**
     * A workspace to ask about.
     *
     * @param near one beside or below it that fetches its messages
     */
    record Spot(String id, String near) {}

    private final FourServices services;
    private final StoredState stored;
    private final Things things;
    private final Actor actor;
    private final String home;
    private final Territory territory;
    private final Set<UUID> own = new HashSet<>();
    private final Set<UUID> everHeld = new HashSet<>();
    private Spot top = new Spot("", "");
    private Spot below = new Spot("", "");
    private Spot held = new Spot("", "");
    private String person = "";
    private String bearer = "";
    private String standing = "";
    private int joined;

    /** @param home a root under which the branches stand; a tenant has its own roots */
    Stage(FourServices services, StoredState stored, Things things, Actor actor, String home) {
        this.services = services;
        this.stored = stored;
        this.things = things;
        this.actor = actor;
        this.home = home;
        territory = new Territory(stored);
        settle();
        enter();
    }

    Actor actor() {
        return actor;
    }

    Territory territory() {
        return territory;
    }

    /** Its workspace, managed. */
    Spot top() {
        return top;
    }

    /** A managed workspace below that one; for an agent, which has a token for no other, that one itself. */
    Spot below() {
        return actor == Actor.AGENT ? top : below;
    }

    /** One of its branch that the organization quarantined, limited and made a policy for, with an approval that an owner decides. */
    Spot held() {
        return held;
    }

    /** Workspaces on which the organization set what is not for this caller to change: for an agent that is all of its own. */
    Set<UUID> bound() {
        return actor == Actor.AGENT ? territory.own() : everHeld;
    }

    Request shown(Request request) {
        return request.with("Authorization: Bearer " + bearer);
    }

    /** A token that it made for itself; for an agent one that nobody has. */
    String ownToken() {
        return actor == Actor.AGENT
                ? Target.NOBODY
                : services.ask(
                                201,
                                shown(Request.of("POST", "/people/me/tokens").body("{\"name\":\"mine\",\"days\":1}")))
                        .text("id");
    }

    /** Itself; for an agent somebody that nobody is. */
    String ownPerson() {
        return actor == Actor.AGENT ? Target.NOBODY : person;
    }

    /** The session that it shows; for an agent one that nobody has. */
    String ownSession() {
        if (actor == Actor.AGENT) {
            return Target.NOBODY;
        }
        for (var session :
                services.ask(200, shown(Request.of("GET", "/sessions"))).json().path("sessions")) {
            if (session.path("this").asBoolean()) {
                return session.path("id").asText();
            }
        }
        throw new IllegalStateException("no session of " + actor);
    }

    /** True when there was need. */
    boolean renewIfWornOut() {
        boolean stands = stored.standing(own).equals(standing);
        boolean letIn = isLetIn();
        if (!stands) {
            settle();
        }
        if (!stands || !letIn) {
            enter();
        }
        return !stands || !letIn;
    }

    private boolean isLetIn() {
        var own = Request.of("GET", actor == Actor.AGENT ? "/workspaces/" + top.id() + "/memory" : "/people/me");
        return !bearer.isEmpty()
                && Answer.to(services.port(Owner.PROXY), shown(own)).status() == 200;
    }

    /** Makes its workspaces. */
    private void settle() {
        boolean tenant = actor == Actor.TENANT_OPERATOR;
        String id = made(tenant ? "" : home);
        if (tenant) {
            services.ask(
                    200,
                    Request.of("PUT", "/workspaces/" + id + "/tenant").body("{\"tenant\":\"%s\"}".formatted(TENANT)));
        }
        String near = services.newPolling("\"name\":\"Near\",\"parent_id\":\"%s\"".formatted(id))
                .id();
        top = new Spot(id, near);
        below = new Spot(made(id), near);
        own.clear();
        for (String one : List.of(id, near, below.id())) {
            own.add(UUID.fromString(one));
        }
        if (actor.hasBranch()) {
            hold(new Spot(made(id), near));
            territory.add(id);
        } else {
            territory.grow();
        }
        standing = stored.standing(own);
    }

    /** As an administrator. */
    private void hold(Spot spot) {
        String path = "/workspaces/" + spot.id();
        things.kept("rule", spot);
        things.kept("ruled", spot);
        services.ask(200, Request.of("PATCH", path + "/budget").body("{\"budget_limit\":1,\"team_limit\":1}"));
        services.ask(200, Request.of("POST", path + "/quarantine").body("{}"));
        held = spot;
        everHeld.add(UUID.fromString(spot.id()));
    }

    /** Lets the caller in, for its workspaces. */
    private void enter() {
        if (actor == Actor.AGENT) {
            bearer = services.ask(201, Request.of("POST", "/workspaces/" + top.id() + "/tokens"))
                    .text("auth_token");
        } else if (!isLetIn()) {
            join();
        } else if (actor == Actor.BRANCH_OPERATOR) {
            services.ask(200, Request.of("PATCH", "/people/" + person).body("{%s}".formatted(role())));
        }
    }

    private String made(String parent) {
        String below = parent.isEmpty() ? "" : ",\"parent_id\":\"%s\"".formatted(parent);
        return services.ask(
                        201,
                        Request.of("POST", "/workspaces")
                                .body("{\"name\":\"Walked\",\"runtime\":\"echo\"%s}".formatted(below)))
                .text("id");
    }

    private void join() {
        String login = actor.name().toLowerCase(Locale.ROOT).replace("_", "") + ++joined;
        var invited =
                services.ask(201, Request.of("POST", "/people").body("{\"login\":\"%s\",%s}".formatted(login, role())));
        person = invited.text("id");
        territory.add(person);
        bearer = services.accepted(invited, PASSWORD);
    }

    private String role() {
        return switch (actor) {
            case BRANCH_OPERATOR -> "\"role\":\"operator\",\"branch\":\"%s\"".formatted(top.id());
            case TENANT_OPERATOR -> "\"role\":\"operator\",\"tenant\":\"%s\"".formatted(TENANT);
            case VIEWER -> "\"role\":\"viewer\"";
            case OWNER -> "\"role\":\"owner\"";
            case AGENT -> throw new IllegalStateException("an agent has no role");
        };
    }
}
