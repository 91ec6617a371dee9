package ai.molecule.cli.org;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.sdk.ByteOrderMark;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
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

    /** What a role may have (docs/org-yaml.md). */
    static final int ROLE_MAX_BYTES = 1_000;

    private static final String FENCE = "---";
    private static final int DEPTH_MAX = 4;

    /** What acts, which an agent in plan mode does not do. */
    private static final Set<String> ACTING = Set.of("write", "edit", "run");

    /** What an agent has whose file names no tools. */
    private static final List<String> ALL_TOOLS =
            List.of("read", "write", "edit", "list", "glob", "search", "run", "fetch");

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

    /**
     * By their paths in the organisation's folder. A file that cannot be used is left out with a note, and refuses none of the others.
     *
     * @throws LaunchFailure when there is no file that can be used
     */
    JsonObject read(Path place) {
        var files = new JsonObject();
        var workspaces = new JsonArray();
        Set<String> folders = new LinkedHashSet<>();
        for (Path file : filesOf(place)) {
            try {
                add(file, files, workspaces, folders);
            } catch (Unusable reason) {
                console.say("note: " + file + " is left out: " + reason.getMessage());
            }
        }
        if (workspaces.isEmpty()) {
            throw LaunchFailure.usersTurn("There are no agents in " + place
                    + ": markdown files with a name and a description in their front matter.");
        }
        return files.put(
                OrgFiles.ORG,
                new JsonObject().put("name", name).put("workspaces", workspaces).encodePrettily() + "\n");
    }

    private void add(Path file, JsonObject files, JsonArray workspaces, Set<String> folders) throws Unusable {
        String text = text(file);
        var matter = frontMatter(text);
        String agent = matter.getOrDefault("name", "");
        String description = matter.getOrDefault("description", "");
        if (agent.isEmpty() || description.isEmpty()) {
            throw new Unusable("its front matter has no name and description");
        }
        String folder =
                agent.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        if (folder.isEmpty() || !folders.add(folder)) {
            throw new Unusable("it has the name of another, or one without letters: " + agent);
        }
        String role = role(description);
        boolean isShortened = !role.equals(description);
        if (isShortened) {
            console.say(
                    "note: %s: its description is longer than %,d bytes; the role has its beginning, the prompt all of it"
                            .formatted(file.getFileName(), ROLE_MAX_BYTES));
        }
        workspaces.add(workspace(agent, folder, role, matter));
        files.put(folder + "/system-prompt.md", isShortened ? description + "\n\n" + body(text) : body(text));
        files.put(folder + "/config.yaml", config(agent, role, matter, file));
    }

    /** Why one file makes no agent. */
    private static final class Unusable extends Exception {
        private static final long serialVersionUID = 1;

        Unusable(String reason) {
            super(reason);
        }
    }

    /** A description as far as a role may be long, ended at a word. */
    private static String role(String description) {
        if (description.getBytes(StandardCharsets.UTF_8).length <= ROLE_MAX_BYTES) {
            return description;
        }
        String ending = "…";
        int left = ROLE_MAX_BYTES - ending.getBytes(StandardCharsets.UTF_8).length;
        int end = 0;
        int word = 0;
        while (end < description.length()) {
            int codePoint = description.codePointAt(end);
            left -= Character.toString(codePoint).getBytes(StandardCharsets.UTF_8).length;
            if (left < 0) {
                break;
            }
            if (Character.isWhitespace(codePoint)) {
                word = end;
            }
            end += Character.charCount(codePoint);
        }
        return description.substring(0, word == 0 ? end : word).stripTrailing() + ending;
    }

    /** JSON, which is YAML too. */
    private JsonObject workspace(String agent, String folder, String role, Map<String, String> matter) {
        var workspace = new JsonObject()
                .put("name", agent)
                .put("role", role)
                .put("runtime", runtime)
                .put("files_dir", folder);
        return takesModel(matter) ? workspace.put("model", matter.get("model")) : workspace;
    }

    private String config(String agent, String role, Map<String, String> matter, Path file) {
        var config = new JsonObject()
                .put("name", agent)
                .put("description", role)
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

    /**
     * What an agent may use. A tool that its file allows for some uses only, {@code Bash(git diff:*)}, is left out: ours knows no such limits,
     * and an import gives nobody more than they had.
     */
    private List<String> tools(Map<String, String> matter, Path file) {
        String named = matter.getOrDefault("tools", "");
        Set<String> tools = new LinkedHashSet<>();
        List<String> unknown = new ArrayList<>();
        List<String> limited = new ArrayList<>();
        for (String tool : entries(named)) {
            String ours = TOOLS.get(tool.replaceAll("\\(.*", "").strip());
            if (ours == null) {
                unknown.add(tool);
            } else if (tool.contains("(")) {
                limited.add(tool);
            } else {
                tools.add(ours);
            }
        }
        if (named.isEmpty()) {
            tools.addAll(ALL_TOOLS);
        }
        tools.removeAll(forbidden(matter));
        note(file, "no tool of ours is ", unknown);
        note(file, "left out, because ours cannot be limited like that: ", limited);
        return List.copyOf(tools);
    }

    /** A tool that is forbidden for some uses is forbidden. */
    private static Set<String> forbidden(Map<String, String> matter) {
        Set<String> forbidden = new HashSet<>();
        for (String tool : entries(matter.getOrDefault("disallowedTools", ""))) {
            String ours = TOOLS.get(tool.replaceAll("\\(.*", "").strip());
            if (ours != null) {
                forbidden.add(ours);
            }
        }
        if (matter.getOrDefault("permissionMode", "").equals("plan")) {
            forbidden.addAll(ACTING);
        }
        return forbidden;
    }

    /** Those of a list, with or without brackets and quotes; a comma in parentheses belongs to its tool. */
    private static List<String> entries(String list) {
        return Arrays.stream(list.replaceAll("[\\[\\]\"']", "").split(",(?![^(]*\\))", -1))
                .map(String::strip)
                .filter(entry -> !entry.isEmpty())
                .toList();
    }

    private void note(Path file, String what, List<String> tools) {
        if (!tools.isEmpty()) {
            console.say("note: %s: %s%s".formatted(file.getFileName(), what, String.join(", ", tools)));
        }
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

    private static String text(Path file) throws Unusable {
        try {
            if (Files.size(file) > FILE_MAX_BYTES) {
                throw new Unusable("it is larger than 64 KiB");
            }
            return ByteOrderMark.strip(Files.readString(file)).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new Unusable("it cannot be read as UTF-8");
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
