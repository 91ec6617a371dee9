package ai.molecule.runtime.skills;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A skill: a folder whose {@code SKILL.md} tells a model how something is done.
 *
 * @param id the folder's name
 * @param name the id when the file names none
 * @param description may be empty, as the lists may
 * @param body the file without its front matter
 */
public record SkillFile(
        String id, String name, String description, List<String> tags, List<String> examples, String body) {

    /** More of one folder are left out. */
    static final int SKILLS_MAX = 100;

    private static final String FILE = "SKILL.md";
    private static final String FENCE = "---";

    public SkillFile {
        tags = List.copyOf(tags);
        examples = List.copyOf(examples);
    }

    /** All skills of a folder that suit a runtime, by name. */
    static List<SkillFile> in(Path folder, String runtime) {
        return read(TextFile.in(folder, SKILLS_MAX), runtime);
    }

    /** Those of the names that are there and suit a runtime, in the order of the names. */
    static List<SkillFile> named(List<String> names, Path folder, String runtime) {
        return read(
                names.stream()
                        .filter(TextFile::isName)
                        .distinct()
                        .limit(SKILLS_MAX)
                        .map(folder::resolve)
                        .toList(),
                runtime);
    }

    private static List<SkillFile> read(List<Path> folders, String runtime) {
        List<SkillFile> skills = new ArrayList<>();
        for (Path each : folders) {
            read(each, runtime).ifPresent(skills::add);
        }
        return skills;
    }

    private static Optional<SkillFile> read(Path folder, String runtime) {
        return Files.isDirectory(folder)
                ? TextFile.read(folder.resolve(FILE)).flatMap(text -> parse(TextFile.nameOf(folder), text, runtime))
                : Optional.empty();
    }

    /** Empty when the skill is meant for other runtimes. */
    static Optional<SkillFile> parse(String id, String text, String runtime) {
        int end = text.startsWith(FENCE + "\n") ? text.indexOf("\n" + FENCE, FENCE.length()) : -1;
        var front = FrontMatter.of(end < 0 ? "" : text.substring(FENCE.length(), end));
        String body = end < 0 ? text : afterLine(text, end + 1);
        if (!front.suits("runtime", runtime)) {
            return Optional.empty();
        }
        String name = front.text("name").isEmpty() ? id : front.text("name");
        return Optional.of(new SkillFile(
                id, name, front.text("description"), front.texts("tags"), front.texts("examples"), body.strip()));
    }

    private static String afterLine(String text, int from) {
        int end = text.indexOf('\n', from);
        return end < 0 ? "" : text.substring(end);
    }
}
