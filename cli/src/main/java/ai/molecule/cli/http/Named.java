package ai.molecule.cli.http;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Printable;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    /** One that somebody who typed this may have meant. */
    private static String nearest(String name, List<Agent> all) {
        return all.stream()
                .map(Agent::name)
                .distinct()
                .map(other -> Map.entry(distance(name, other), other))
                .filter(other -> other.getKey() <= Math.max(1, name.length() / 3))
                .min(Map.Entry.comparingByKey())
                .map(other -> "; did you mean " + other.getValue() + "?")
                .orElse("; ./molecule ps lists them.");
    }

    /** How many letters differ, case aside. */
    private static int distance(String one, String other) {
        String from = one.toLowerCase(Locale.ROOT);
        String to = other.toLowerCase(Locale.ROOT);
        int[] row = IntStream.rangeClosed(0, to.length()).toArray();
        for (int i = 1; i <= from.length(); i++) {
            int corner = row[0]++;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = corner + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                corner = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
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
        if (answer.status() == 401 || answer.status() == 403) {
            why += " ADMIN_TOKEN must be the platform's.";
        }
        throw answer.status() >= 500 ? LaunchFailure.broken(why) : LaunchFailure.usersTurn(why);
    }
}
