package ai.molecule.provisioner.templates;

import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.configs.YamlText;
import java.util.Collection;
import java.util.List;

/** The {@code config.yaml} of a template that was imported without one (registry contract, 7.2). */
final class ImportedConfig {

    private ImportedConfig() {}

    static String of(String name, Collection<FilePath> files) {
        var prompts = files.stream()
                .filter(path -> path.names().size() == 1 && path.toString().endsWith(".md"))
                .map(FilePath::toString)
                .sorted()
                .toList();
        var skills = files.stream()
                .map(FilePath::names)
                .filter(names -> names.size() == 3
                        && names.getFirst().equals("skills")
                        && names.getLast().equals("SKILL.md"))
                .map(names -> names.get(1))
                .sorted()
                .toList();
        return """
                name: %s
                description: Imported agent
                version: 1.0.0
                tier: 3
                model: anthropic:claude-haiku-4-5-20251001
                prompt_files:%s
                skills:%s
                tools: []
                a2a:
                  port: 8000
                  streaming: true
                  push_notifications: true
                env:
                  required:
                    - ANTHROPIC_API_KEY
                """.formatted(
                        YamlText.quoted(name),
                        listed(prompts.isEmpty() ? List.of("system-prompt.md") : prompts),
                        listed(skills));
    }

    private static String listed(List<String> values) {
        if (values.isEmpty()) {
            return " []";
        }
        var lines = new StringBuilder();
        values.forEach(value -> lines.append("\n  - ").append(YamlText.quoted(value)));
        return lines.toString();
    }
}
