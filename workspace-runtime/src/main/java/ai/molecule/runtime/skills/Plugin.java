package ai.molecule.runtime.skills;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What a plugin brings into a prompt.
 *
 * @param rules the texts of {@code rules/*.md}
 * @param fragments those of {@code *.md} in its own folder, without what is written for people
 * @param mcpServers {@code mcp_servers} of its {@code plugin.yaml}, as it stands there
 */
public record Plugin(
        String name, List<String> rules, List<String> fragments, List<SkillFile> skills, Map<?, ?> mcpServers) {

    /** More of one folder are left out, as are more rules or fragments of one plugin. */
    static final int PLUGINS_MAX = 200;

    private static final int TEXTS_MAX = 50;
    private static final Set<String> FOR_PEOPLE = Set.of("readme.md", "changelog.md", "license.md", "contributing.md");

    public Plugin {
        rules = List.copyOf(rules);
        fragments = List.copyOf(fragments);
        skills = List.copyOf(skills);
    }

    /** Empty when the plugin is not for this runtime. */
    static List<Plugin> in(Path folder, String runtime) {
        List<Plugin> plugins = new ArrayList<>();
        for (Path each : TextFile.in(folder, PLUGINS_MAX)) {
            String manifest = TextFile.read(each.resolve("plugin.yaml")).orElse("");
            FrontMatter described = FrontMatter.of(manifest);
            if (Files.isDirectory(each) && described.suits("runtimes", runtime)) {
                plugins.add(new Plugin(
                        TextFile.nameOf(each),
                        texts(each.resolve("rules")),
                        texts(each),
                        SkillFile.in(each.resolve("skills"), runtime),
                        described.section("mcp_servers")));
            }
        }
        return plugins;
    }

    private static List<String> texts(Path folder) {
        List<String> texts = new ArrayList<>();
        for (Path file : TextFile.in(folder, TEXTS_MAX)) {
            String name = TextFile.nameOf(file).toLowerCase(Locale.ROOT);
            if (name.endsWith(".md") && !FOR_PEOPLE.contains(name)) {
                TextFile.read(file).filter(text -> !text.isEmpty()).ifPresent(texts::add);
            }
        }
        return texts;
    }
}
