package ai.molecule.cli.demo;

import ai.molecule.cli.Console;
import ai.molecule.cli.http.Agent;
import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * An example, imported as any organisation. Made only where there is no workspace yet, so a user who removed it does not get it back
 * while he has others.
 */
public final class DemoOrganisation {

    /** What an agent may take to start. */
    private static final Duration ONLINE_WITHIN = Duration.ofSeconds(180);

    private static final Duration PAUSE = Duration.ofMillis(200);
    private final PlatformApi api;
    private final String url;
    private final Console console;
    private final Demo wanted;
    private final Duration onlineWithin;

    public DemoOrganisation(PlatformApi api, String url, Console console, Demo wanted) {
        this(api, url, console, wanted, ONLINE_WITHIN);
    }

    /**
     * @param wanted which one to make where there is none
     * @param onlineWithin how long to wait for the agents before their status is shown as it is
     */
    public DemoOrganisation(PlatformApi api, String url, Console console, Demo wanted, Duration onlineWithin) {
        this.api = api;
        this.url = url;
        this.console = console;
        this.wanted = wanted;
        this.onlineWithin = onlineWithin;
    }

    /** Makes the organisation if needed, waits for its agents and says what to try. Never throws: the platform runs without it. */
    public void show() {
        try {
            List<String> ids = idsOfDemo();
            if (ids.isEmpty()) {
                return; // the user has an organisation of his own
            }
            var agents = awaitOnline(ids);
            agents.forEach(
                    agent -> console.say("  %-12s %-10s %s".formatted(agent.name(), agent.status(), agent.id())));
            if (agents.stream().allMatch(api::isThere)) {
                console.say(
                        ids.size() == Demo.SMALL.names().size()
                                ? "try: " + curl(ids.getFirst())
                                : "no key needed: their brains are recorded, files and commands are real");
            } else {
                console.say(
                        "not every agent is online yet; ./molecule ps shows how they are, ./molecule logs <name> why");
            }
        } catch (IOException e) {
            console.say("the example organisation could not be made: " + e.getMessage());
        }
    }

    /** The lead's id first. Empty when there are other workspaces than an example's. */
    private List<String> idsOfDemo() throws IOException {
        var present = api.agents();
        if (present.isEmpty()) {
            console.say("making an example organisation");
            return create();
        }
        return Stream.of(Demo.values())
                .map(demo -> idsOf(demo, present))
                .filter(ids -> !ids.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    /** Empty unless those present are just its agents. */
    private static List<String> idsOf(Demo demo, List<Agent> present) {
        var ids = new ArrayList<String>();
        for (String name : demo.names()) {
            present.stream()
                    .filter(agent -> agent.name().equals(name))
                    .findFirst()
                    .map(Agent::id)
                    .ifPresent(ids::add);
        }
        return ids.size() == present.size() && ids.size() == demo.names().size() ? ids : List.of();
    }

    /** The lead comes first, as in its file. */
    private List<String> create() throws IOException {
        var answer = api.importOrganisation(new JsonObject().put("dir", wanted.dir()));
        if (answer.status() != 201) {
            throw new IOException("POST /org/import answered %d %s".formatted(answer.status(), answer.body()));
        }
        var ids = answer.body().getJsonArray("workspaces", new JsonArray()).stream()
                .map(each -> ((JsonObject) each).getString("id"))
                .toList();
        name(ids, answer.body().getString("org", ""));
        return ids;
    }

    /** What the page calls the organisation is kept with who leads it; nobody misses it so much that the rest would fail. */
    private void name(List<String> ids, String organisation) {
        if (ids.isEmpty() || organisation.isEmpty()) {
            return;
        }
        try {
            api.call(
                    "PATCH",
                    "/workspaces/" + ids.getFirst() + "/config",
                    JsonObject.of("organisation_name", organisation));
        } catch (IOException unnamed) {
            // the page then says "Molecule" alone
        }
    }

    private List<Agent> awaitOnline(List<String> ids) throws IOException {
        long deadline = System.nanoTime() + onlineWithin.toNanos();
        while (true) {
            var agents = new ArrayList<Agent>();
            for (String id : ids) {
                agents.add(api.agent(id));
            }
            if (agents.stream().allMatch(api::isThere) || System.nanoTime() - deadline > 0) {
                return agents;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** A message that makes the lead ask both others. In JSON the line break is the two characters {@code \n}. */
    private String curl(String lead) {
        return """
                curl -s %s/workspaces/%s/a2a -H 'Content-Type: application/json'%s \\
                  -d '{"method":"message/send","params":{"message":{"role":"user","parts":[{"kind":"text","text":"ask Researcher: what do we know?\\nask Writer: say hello"}]}}}'""".formatted(
                url,
                lead,
                api.organisation().map(" -H 'X-Molecule-Org-Id: %s'"::formatted).orElse(""));
    }
}
