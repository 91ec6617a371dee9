package ai.molecule.runtime.agent;

import java.util.List;

/** One entry of the agent card's {@code skills}. */
public record Skill(String id, String name, String description, List<String> tags) {

    public Skill {
        tags = List.copyOf(tags);
    }
}
