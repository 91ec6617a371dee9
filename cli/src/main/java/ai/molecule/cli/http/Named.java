package ai.molecule.cli.http;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.NearMiss;
import ai.molecule.cli.Printable;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What commands have in common: agents are named as people name them, and refusals are sentences. */
public final class Named {

    private Named() {}

    /** Of the agent with this id, else of the only one with this name. */
    public static String idOf(PlatformApi api, String name) throws IOException {
        List<Agent> all = api.agents();
        if (all.stream().anyMatch(agent -> agent.id().equals(name))) {
            return name;
        }
        var named = all.stream()
                .filter(agent -> agent.name().equals(Printable.line(name)))
                .map(Agent::id)
                .toList();
        return switch (named.size()) {
            case 0 -> throw LaunchFailure.usersTurn("There is no agent " + name + nearest(name, all));
            case 1 -> named.getFirst();
            default ->
                throw LaunchFailure.usersTurn("Several agents are called " + name + ", name one by its id: "
                        + named.stream().sorted().collect(Collectors.joining(", ")) + ".");
        };
    }

    private static String nearest(String name, List<Agent> all) {
        var near = NearMiss.of(name, all.stream().map(Agent::name).toList());
        return near.isEmpty() ? "; ./molecule ps lists them." : "; did you mean " + String.join(" or ", near) + "?";
    }

    /** A member of what is asked for, where somebody gave it. */
    public static void putIfGiven(JsonObject wanted, String member, @Nullable Object value) {
        if (value != null) {
            wanted.put(member, value);
        }
    }

    /** What the platform answered, if it did what it was asked. */
    public static JsonObject done(String otherwise, PlatformApi.Answer answer) {
        if (answer.status() / 100 == 2) {
            return answer.body();
        }
        String why =
                otherwise + ": " + answer.body().getString("error", "no reason given") + " (" + answer.status() + ").";
        if (answer.status() == 401) { // a 403 is of somebody the platform knows, and says why itself
            why += " ADMIN_TOKEN must be the platform's.";
        }
        throw answer.status() >= 500 ? LaunchFailure.broken(why) : LaunchFailure.usersTurn(why);
    }
}
