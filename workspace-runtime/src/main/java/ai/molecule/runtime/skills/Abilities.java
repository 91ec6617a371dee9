package ai.molecule.runtime.skills;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Everything an agent's folders hold at a moment.
 *
 * @param plugins those of the first folder first; of several with one name the first counts
 * @param skills the agent's own, then the plugins'; of several with one id the first counts
 */
public record Abilities(List<Plugin> plugins, List<SkillFile> skills) {

    public Abilities {
        plugins = List.copyOf(plugins);
        skills = List.copyOf(skills);
    }

    /**
     * Reads them anew.
     *
     * @param configs the agent's folder, with {@code skills/} and {@code plugins/}
     * @param shared another folder of plugins, looked at after that
     * @param names the agent's own skills in order; none but the plugins' when empty
     * @param runtime what is meant for other runtimes is left out
     */
    public static Abilities read(Path configs, Path shared, List<String> names, String runtime) {
        List<Plugin> plugins = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Path folder : List.of(configs.resolve("plugins"), shared)) {
            Plugin.in(folder, runtime).stream()
                    .filter(plugin -> seen.add(plugin.name()))
                    .forEach(plugins::add);
        }
        List<SkillFile> found = new ArrayList<>(SkillFile.named(names, configs.resolve("skills"), runtime));
        plugins.forEach(plugin -> found.addAll(plugin.skills()));
        Set<String> ids = new HashSet<>();
        return new Abilities(
                plugins, found.stream().filter(skill -> ids.add(skill.id())).toList());
    }
}
