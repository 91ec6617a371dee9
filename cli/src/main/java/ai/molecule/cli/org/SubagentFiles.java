package ai.molecule.cli.org;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Agents as {@code .claude/agents} has them: a markdown file each, whose front matter says {@code name}, {@code description}, {@code tools} and
 * {@code model}, and whose text is the prompt. Made into the files of an organisation.
 */
final class SubagentFiles {

    static final int FILES_MAX = 100;
    static final int FILE_MAX_BYTES = 64 * 1024;

    private static final String FENCE = "---";
    private static final int DEPTH_MAX = 4;

    /** Their tools by the names of ours; what is not among them, an agent of ours has not. */
    private static final Map<String, String> TOOLS = Map.ofEntries(
            Map.entry("Read", "read"),
            Map.entry("Write", "write"),
            Map.entry("Edit", "edit"),
            Map.entry("MultiEdit", "edit"),
            Map.entry("LS", "list"),
            Map.entry("Glob", "glob"),
            Map.entry("Grep", "search"),
            Map.entry("Bash", "run"),
            Map.entry("WebFetch", "fetch"),
            Map.entry("AskUserQuestion", "ask"));

    private final Console console;
    private final String runtime;
    private final String name;

    /** @param name the organisation's */
    SubagentFiles(Console console, String runtime, String name) {
        this.console = console;
        this.runtime = runtime;
        this.name = name;
    }

    /** By their paths in the organisation's folder. @throws LaunchFailure that says what is wrong */
    JsonObject read(Path place) {
        var files = new JsonObject();
        var workspaces = new JsonArray();
        Set<String> folders = new LinkedHashSet<>();
        for (Path file : filesOf(place)) {
            String text = text(file);
            var matter = frontMatter(text);
            String agent = matter.getOrDefault("name", "");
            if (agent.isEmpty() || matter.getOrDefault("description", "").isEmpty()) {
                console.say("note: " + file + " is left out: its front matter has no name and description");
                continue;
            }
            String folder =
                    agent.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
            if (folder.isEmpty() || !folders.add(folder)) {
                throw LaunchFailure.usersTurn(file + " has the name of another, or one without letters: " + agent);
            }
            workspaces.add(workspace(agent, folder, matter));
            files.put(folder + "/system-prompt.md", body(text));
            files.put(folder + "/config.yaml", config(agent, matter, file));
        }
        if (workspaces.isEmpty()) {
            throw LaunchFailure.usersTurn("There are no agents in " + place
                    + ": markdown files with a name and a description in their front matter.");
        }
        return files.put(
                OrgFiles.ORG,
                new JsonObject().put("name", name).put("workspaces", workspaces).encodePrettily() + "\n");
    }

    /** JSON, which is YAML too. */
    private JsonObject workspace(String agent, String folder, Map<String, String> matter) {
        var workspace = new JsonObject()
                .put("name", agent)
                .put("role", matter.get("description"))
                .put("runtime", runtime)
                .put("files_dir", folder);
        return takesModel(matter) ? workspace.put("model", matter.get("model")) : workspace;
    }

    private String config(String agent, Map<String, String> matter, Path file) {
        var config = new JsonObject()
                .put("name", agent)
                .put("description", matter.get("description"))
                .put("runtime", runtime)
                .put("prompt_files", new JsonArray().add("system-prompt.md"))
                .put("tools", new JsonArray(tools(matter, file)));
        String model = matter.getOrDefault("model", "");
        if (takesModel(matter)) {
            config.put("model", model);
        } else if (!model.isEmpty() && !model.equals("inherit")) {
            console.say("note: " + file.getFileName() + ": model " + model + " is a name of Claude Code's; " + runtime
                    + " takes its default");
        }
        return config.encodePrettily() + "\n";
    }

    /** Short names of models are known to the program alone. */
    private boolean takesModel(Map<String, String> matter) {
        String model = matter.getOrDefault("model", "");
        return model.contains(":") || (runtime.equals("claude-code") && !model.isEmpty() && !model.equals("inherit"));
    }

    private List<String> tools(Map<String, String> matter, Path file) {
        String named = matter.getOrDefault("tools", "");
        if (named.isEmpty()) {
            return List.of("files", "run", "fetch");
        }
        Set<String> tools = new LinkedHashSet<>();
        List<String> unknown = new ArrayList<>();
        for (String tool : named.replaceAll("[\\[\\]\"']", "").split("\\s*,\\s*", -1)) {
            String ours = TOOLS.get(tool.replaceAll("\\(.*", "").strip());
            if (ours != null) {
                tools.add(ours);
            } else if (!tool.isBlank()) {
                unknown.add(tool.strip());
            }
        }
        if (!unknown.isEmpty()) {
            console.say("note: %s: no tool of ours is %s".formatted(file.getFileName(), String.join(", ", unknown)));
        }
        return List.copyOf(tools);
    }

    private static List<Path> filesOf(Path place) {
        try (Stream<Path> walk = Files.walk(place, DEPTH_MAX)) {
            List<Path> files = walk.filter(file -> file.toString().endsWith(".md") && Files.isRegularFile(file))
                    .sorted()
                    .limit(FILES_MAX + 1L)
                    .toList();
            if (files.size() > FILES_MAX) {
                throw LaunchFailure.usersTurn(place + " has more than " + FILES_MAX + " agents.");
            }
            return files;
        } catch (IOException e) {
            throw LaunchFailure.usersTurn("There is no " + place + ".");
        }
    }

    private static String text(Path file) {
        try {
            if (Files.size(file) > FILE_MAX_BYTES) {
                throw LaunchFailure.usersTurn(file + " is larger than 64 KiB.");
            }
            return Files.readString(file).replace("\r\n", "\n");
        } catch (IOException e) {
            throw LaunchFailure.usersTurn(file + " cannot be read as a text.");
        }
    }

    /**
     * Line by line, as its own program reads it: a description may have a colon in it, which YAML would refuse. Lines below a key that has no
     * value, or {@code |} or {@code >}, are its value: words in a row, or a list.
     */
    private static Map<String, String> frontMatter(String text) {
        Map<String, String> matter = new LinkedHashMap<>();
        if (!text.startsWith(FENCE + "\n")) {
            return matter;
        }
        String open = "";
        for (String line : text.substring(FENCE.length() + 1).lines().toList()) {
            if (line.equals(FENCE)) {
                return matter;
            }
            int colon = line.indexOf(':');
            boolean item = line.strip().startsWith("- ");
            if (!open.isEmpty() && (item || line.startsWith(" ") || line.startsWith("\t"))) {
                String more = item ? unquoted(line.strip().substring(2).strip()) : line.strip();
                matter.merge(
                        open, more, (before, next) -> before.isEmpty() ? next : before + (item ? ", " : " ") + next);
            } else if (colon > 0 && !Character.isWhitespace(line.charAt(0))) {
                String value = line.substring(colon + 1).strip();
                boolean below = value.matches("([|>][+-]?)?");
                open = below ? line.substring(0, colon) : "";
                matter.put(line.substring(0, colon), below ? "" : unquoted(value));
            }
        }
        return Map.of();
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() > 1
                && (value.startsWith("\"") || value.startsWith("'"))
                && value.charAt(0) == value.charAt(value.length() - 1);
        return quoted ? value.substring(1, value.length() - 1) : value;
    }

    private static String body(String text) {
        int end = text.indexOf("\n" + FENCE + "\n");
        return text.substring(Math.min(text.length(), end + FENCE.length() + 2)).stripLeading();
    }
}
