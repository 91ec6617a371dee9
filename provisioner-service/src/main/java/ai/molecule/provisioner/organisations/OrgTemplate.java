package ai.molecule.provisioner.organisations;

import static ai.molecule.provisioner.organisations.AgentSettings.text;

import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces.Memory;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** An organisation as it is written down, checked. */
record OrgTemplate(
        String name,
        String description,
        AgentSettings defaults,
        List<Memory> globalMemories,
        List<OrgWorkspace> workspaces,
        List<EnvRequirement> required,
        List<EnvRequirement> recommended) {

    /** Fails with INVALID as {@link InvalidOrganisation} says. */
    static OrgTemplate of(JsonNode sent) {
        var node = Unfolding.of(sent);
        var problems = OrgSchema.problemsOf(node);
        if (!problems.isEmpty()) {
            throw InvalidOrganisation.template(problems);
        }
        var workspaces = OrgWorkspace.allOf(node.path("workspaces"));
        long count = workspaces.stream().flatMap(OrgWorkspace::preorder).count();
        if (count > CreateWorkspaces.MAX) {
            throw InvalidOrganisation.template(
                    "%d workspaces are too many, at most %d".formatted(count, CreateWorkspaces.MAX));
        }
        var required = new ArrayList<>(EnvRequirement.allOf(node.path("required_env")));
        var recommended = new ArrayList<>(EnvRequirement.allOf(node.path("recommended_env")));
        workspaces.stream().flatMap(OrgWorkspace::preorder).forEach(workspace -> {
            required.addAll(workspace.required());
            recommended.addAll(workspace.recommended());
        });
        return new OrgTemplate(
                Objects.requireNonNullElse(text(node, "name"), "organisation"),
                Objects.requireNonNullElse(text(node, "description"), ""),
                AgentSettings.of(node.path("defaults")),
                AgentSettings.memories(node.path("global_memories")),
                workspaces,
                EnvRequirement.union(required, List.of()),
                EnvRequirement.union(recommended, required));
    }

    /** Parents before their children. */
    Stream<OrgWorkspace> preorder() {
        return workspaces.stream().flatMap(OrgWorkspace::preorder);
    }
}
