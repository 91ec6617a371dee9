package ai.molecule.cli.doors;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.Agent;
import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** What these commands have in common: agents are named as people name them, and refusals are sentences. */
final class Named {

    private Named() {}

    /** Of the agent with this id, else of the only one with this name. */
    static String idOf(PlatformApi api, String name) throws IOException {
        List<Agent> all = api.agents();
        if (all.stream().anyMatch(agent -> agent.id().equals(name))) {
            return name;
        }
        var named = all.stream()
                .filter(agent -> agent.name().equals(Printable.line(name)))
                .map(Agent::id)
                .toList();
        return switch (named.size()) {
            case 0 -> throw LaunchFailure.usersTurn("There is no agent " + name + "; ./molecule ps lists them.");
            case 1 -> named.getFirst();
            default ->
                throw LaunchFailure.usersTurn("Several agents are called " + name + ", name one by its id: "
                        + named.stream().sorted().collect(Collectors.joining(", ")) + ".");
        };
    }

    /** What the platform answered, if it did what it was asked. */
    static JsonObject done(String otherwise, PlatformApi.Answer answer) {
        if (answer.status() / 100 == 2) {
            return answer.body();
        }
        String why =
                otherwise + ": " + answer.body().getString("error", "no reason given") + " (" + answer.status() + ").";
        if (answer.status() == 401 || answer.status() == 403) {
            why += " ADMIN_TOKEN must be the platform's.";
        }
        throw answer.status() >= 500 ? LaunchFailure.broken(why) : LaunchFailure.usersTurn(why);
    }
}
