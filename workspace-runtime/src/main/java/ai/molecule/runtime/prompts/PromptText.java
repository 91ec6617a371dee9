package ai.molecule.runtime.prompts;

import ai.molecule.runtime.prompts.PlatformFacts.Named;
import ai.molecule.runtime.skills.Abilities;
import ai.molecule.runtime.skills.Plugin;
import ai.molecule.runtime.skills.SkillFile;
import ai.molecule.runtime.tools.PromptBlocks;
import ai.molecule.sdk.Peer;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Puts the parts of a prompt into their order (runtime contract, 2.14); a part with nothing in it is left out. */
final class PromptText {

    /** What each part may take; of a part that is longer the end is left out, and the model is told so. */
    static final int PART_MAX_CHARS = 100_000;

    /** Further peers can be asked for. */
    static final int PEERS_MAX = 100;

    private static final int NAME_MAX_CHARS = 200;

    private static final String FAILURES = """
            ## When a Delegation Fails

            A peer may be offline, busy or wrong. Say what you asked whom and what came of it, in your own words; do not pass the\
             error on as it stands. Try another peer or do the work yourself, and when neither is possible, tell whoever gave you\
             the task which part is missing.""";

    private static final String COORDINATING = """
            ### Your team

            These workspaces report to you: %s. Give each piece of work to the one whose role and skills fit it best, keep what\
             needs the whole picture for yourself, and put their results together before you answer.""";

    private final List<String> parts = new ArrayList<>();

    private PromptText() {}

    /**
     * @param ownId by which a parent's children know it
     * @param files the agent's own texts, in order
     */
    static String of(
            String ownId,
            PromptSettings settings,
            PlatformFacts facts,
            List<String> files,
            Abilities abilities,
            ToolWords words) {
        var text = new PromptText();
        text.add(
                facts.instructions().isBlank()
                        ? ""
                        : "# Platform Instructions\n\n" + facts.instructions().strip());
        text.add(words == ToolWords.TOOLS ? PromptBlocks.capabilities().strip() : "");
        files.forEach(text::add);
        text.add(
                "## Parent Context",
                facts.parentContext().stream().map(PromptText::shared).toList());
        text.add(
                "## Platform Rules",
                abilities.plugins().stream()
                        .flatMap(plugin -> plugin.rules().stream())
                        .toList());
        text.add("## Platform Guidelines", guidelines(ownId, settings, facts, abilities.plugins()));
        text.add(
                "## Your Skills",
                abilities.skills().stream().map(PromptText::skill).toList());
        text.add(peers(facts.peers()));
        text.add(facts.peers().isEmpty() || words == ToolWords.NONE ? "" : FAILURES);
        switch (words) {
            case TOOLS -> {
                text.add(PromptBlocks.a2a().strip());
                text.add(PromptBlocks.memory().strip());
            }
            case SHELL -> text.add(PromptBlocks.A2A_FOR_A_SHELL);
            case NONE -> {}
        }
        return String.join("\n\n", text.parts);
    }

    private void add(String part) {
        if (!part.isBlank()) {
            parts.add(
                    part.length() <= PART_MAX_CHARS
                            ? part
                            : part.substring(0, PART_MAX_CHARS) + "\n\n[The rest is left out: it is too long.]");
        }
    }

    private void add(String heading, List<String> items) {
        add(items.isEmpty() ? "" : heading + "\n\n" + String.join("\n\n", items));
    }

    private static String shared(Named document) {
        return "### " + line(document.path()) + "\n\n" + document.text().strip();
    }

    private static String skill(SkillFile skill) {
        String about = skill.description().isEmpty() ? "" : "\n\n" + skill.description();
        return ("### " + line(skill.name()) + about + "\n\n" + skill.body()).strip();
    }

    private static List<String> guidelines(
            String ownId, PromptSettings settings, PlatformFacts facts, List<Plugin> plugins) {
        List<String> items = new ArrayList<>();
        plugins.forEach(plugin -> items.addAll(plugin.fragments()));
        List<String> team = facts.peers().stream()
                .filter(peer -> peer.parentId().equals(ownId))
                .map(peer -> line(peer.name()) + (peer.role().isBlank() ? "" : " (" + line(peer.role()) + ")"))
                .toList();
        if (!team.isEmpty()) {
            items.add(COORDINATING.formatted(String.join(", ", team)));
        }
        if (!settings.categoryRouting().isEmpty()) {
            items.add(routing(settings.categoryRouting()));
        }
        return items;
    }

    private static String routing(Map<String, List<String>> routing) {
        var text = new StringBuilder("### Who gets what\n\nWork of these kinds goes to these roles:\n");
        routing.forEach((category, roles) ->
                text.append("\n- **%s**: %s".formatted(line(category), line(String.join(", ", roles)))));
        return text.toString();
    }

    /** Only those that say of themselves what they can. */
    private static String peers(List<Peer> all) {
        List<Peer> peers =
                all.stream().filter(peer -> !peer.agentCard().isEmpty()).toList();
        if (peers.isEmpty()) {
            return "";
        }
        var text = new StringBuilder("## Your Peers (workspaces you can delegate to)\n");
        for (Peer peer : peers.subList(0, Math.min(peers.size(), PEERS_MAX))) {
            text.append("\n- **%s** (id: `%s`, status: %s)"
                    .formatted(line(peer.name()), line(peer.id()), line(peer.status())));
            List<String> skills = new ArrayList<>();
            for (JsonNode skill : peer.agentCard().path("skills")) {
                skills.add(skill.path("name").asText(skill.path("id").asText("")));
            }
            skills.removeIf(String::isBlank);
            text.append(skills.isEmpty() ? "" : "\n  Skills: " + line(String.join(", ", skills)));
        }
        int more = peers.size() - PEERS_MAX;
        return more <= 0 ? text.toString() : text + "\n\nand " + more + " more.";
    }

    /** What others chose must not look like a part of the prompt. */
    private static String line(String text) {
        String flat = text.strip().replaceAll("\\s+", " ");
        return flat.length() <= NAME_MAX_CHARS ? flat : flat.substring(0, NAME_MAX_CHARS) + "...";
    }
}
