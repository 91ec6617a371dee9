package ai.molecule.sdk.plugins;

import ai.molecule.sdk.ByteOrderMark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Says what is wrong with a plugin's folder: its {@code plugin.yaml} and the {@code SKILL.md} of every folder in
 * {@code skills}.
 *
 * <pre>{@code
 * List<Complaint> wrong = PluginValidation.of(Path.of("my-plugin"));
 * }</pre>
 */
public final class PluginValidation {

    private static final Set<String> RUNTIMES =
            Set.of("claude_code", "deepagents", "langgraph", "crewai", "autogen", "openclaw");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern SKILL_NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
    private static final int SKILL_NAME_MAX_CHARS = 64;
    private static final int DESCRIPTION_MAX_CHARS = 1024;
    private static final int COMPATIBILITY_MAX_CHARS = 500;
    private static final int SKILL_MAX_BYTES = 1024 * 1024;
    private static final int SKILLS_MAX = 1000;

    private final List<Complaint> complaints = new ArrayList<>();

    private PluginValidation() {}

    /** Everything that is wrong, in the order of the files; empty for a good plugin. */
    public static List<Complaint> of(Path folder) {
        var validation = new PluginValidation();
        validation.manifest(folder.resolve("plugin.yaml"));
        validation.skills(folder.resolve("skills"));
        return List.copyOf(validation.complaints);
    }

    private void manifest(Path file) {
        if (!Files.isRegularFile(file)) {
            complaints.add(new Complaint(file.toString(), "is missing"));
            return;
        }
        try {
            manifest(Fields.of(YamlFile.read(file), file.toString(), complaints));
        } catch (PluginException e) {
            complaints.add(new Complaint(file.toString(), String.valueOf(e.getMessage())));
        }
    }

    private static void manifest(Fields manifest) {
        if (manifest.isEmpty()) {
            manifest.complain("'name' is required and must be text");
            return;
        }
        manifest.requireText("name");
        manifest.text("author");
        manifest.lists("tags", "skills", "rules", "prompt_fragments", "runtimes");
        Object sum = manifest.get("sha256");
        if (sum != null && !(sum instanceof String text && SHA256.matcher(text).matches())) {
            manifest.complain("'sha256' must be 64 lower case hex digits");
        }
        if (manifest.get("runtimes") instanceof List<?> runtimes) {
            for (Object runtime : runtimes) {
                if (!RUNTIMES.contains(String.valueOf(runtime).replace('-', '_'))) {
                    manifest.complain("unknown runtime '" + runtime + "'");
                }
            }
        }
        manifest.scanForSecrets();
    }

    private void skills(Path folder) {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> skills = Files.list(folder)) {
            skills.filter(Files::isDirectory).sorted().limit(SKILLS_MAX).forEach(this::skill);
        } catch (IOException | UncheckedIOException e) {
            complaints.add(new Complaint(folder.toString(), "cannot be read: " + e.getMessage()));
        }
    }

    private void skill(Path folder) {
        Path file = folder.resolve("SKILL.md");
        try {
            if (!Files.isRegularFile(file)) {
                throw new PluginException("is missing");
            }
            if (Files.size(file) > SKILL_MAX_BYTES) {
                throw new PluginException("larger than 1 MiB");
            }
            Object yaml = YamlFile.parse(frontMatter(ByteOrderMark.strip(Files.readString(file))));
            skill(Fields.of(yaml, file.toString(), complaints), String.valueOf(folder.getFileName()));
        } catch (PluginException e) {
            complaints.add(new Complaint(file.toString(), String.valueOf(e.getMessage())));
        } catch (IOException e) {
            complaints.add(new Complaint(file.toString(), "cannot be read: " + e));
        }
    }

    private static void skill(Fields skill, String folderName) {
        skill.requireText("name");
        if (skill.get("name") instanceof String name && !name.isBlank()) {
            if (name.length() > SKILL_NAME_MAX_CHARS
                    || !SKILL_NAME.matcher(name).matches()) {
                skill.complain("'name' must be up to 64 lower case letters, digits and single dashes between them");
            }
            if (!name.equals(folderName)) {
                skill.complain("'name' must be the folder's: " + folderName);
            }
        }
        skill.requireText("description");
        skill.textUpTo("description", DESCRIPTION_MAX_CHARS);
        skill.text("compatibility", "allowed-tools", "license");
        skill.textUpTo("compatibility", COMPATIBILITY_MAX_CHARS);
        skill.mapping("metadata");
    }

    /** What stands between the first line {@code ---} and the next. */
    private static String frontMatter(String text) {
        List<String> lines = text.lines().toList();
        if (lines.isEmpty() || !lines.get(0).strip().equals("---")) {
            throw new PluginException("must begin with frontmatter between two lines of ---");
        }
        for (int i = 1; i < lines.size(); i++) {
            if (lines.get(i).strip().equals("---")) {
                return String.join("\n", lines.subList(1, i));
            }
        }
        throw new PluginException("the frontmatter does not end");
    }
}
