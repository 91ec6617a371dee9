package ai.molecule.sdk.plugins;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says what is wrong with the files a platform is fed with: a workspace template's {@code config.yaml}, an organisation's
 * {@code org.yaml}, and channels. A folder stands for the file of that name in it.
 *
 * <pre>{@code
 * List<Complaint> wrong = TemplateValidation.org(Path.of("acme/org.yaml"));
 * }</pre>
 */
public final class TemplateValidation {

    /** Deeper organisations are a mistake, or meant to exhaust the stack. */
    private static final int DEPTH_MAX = 40;

    private TemplateValidation() {}

    /** A workspace template: {@code name} and {@code runtime}. */
    public static List<Complaint> workspace(Path path) {
        return check(path, "config.yaml", (yaml, file, complaints) -> {
            Fields config = Fields.of(yaml, file, complaints);
            config.requireText("name");
            config.requireText("runtime");
            config.runtime();
            config.tier();
            config.mapping("runtime_config");
            if (config.get("runtime_config") instanceof Map<?, ?> inner) {
                Fields runtime = config.inside(inner, "runtime_config");
                runtime.lists("required_env");
                runtime.number("timeout");
            }
        });
    }

    /** An organisation: {@code name} and at least one workspace, each with its children. */
    public static List<Complaint> org(Path path) {
        return check(path, "org.yaml", (yaml, file, complaints) -> {
            Fields org = Fields.of(yaml, file, complaints);
            org.requireText("name");
            if (org.get("workspaces") instanceof List<?> nodes && !nodes.isEmpty()) {
                nodes(nodes, "workspaces", org, 1);
            } else {
                org.complain("'workspaces' is required and must be a list that is not empty");
            }
        });
    }

    /** One channel, or a list of them. */
    public static List<Complaint> channel(Path path) {
        return check(path, "channels.yaml", (yaml, file, complaints) -> {
            if (!(yaml instanceof List<?> channels)) {
                channel(Fields.of(yaml, file, complaints));
                return;
            }
            for (int i = 0; i < channels.size(); i++) {
                Fields list = new Fields(Map.of(), file, "", complaints);
                item(channels.get(i), "[" + i + "]", list, TemplateValidation::channel);
            }
        });
    }

    private static void nodes(List<?> nodes, String key, Fields parent, int depth) {
        if (depth > DEPTH_MAX) {
            parent.complain("'" + key + "' is nested more than " + DEPTH_MAX + " levels");
            return;
        }
        for (int i = 0; i < nodes.size(); i++) {
            item(nodes.get(i), key + "[" + i + "]", parent, node -> node(node, depth));
        }
    }

    private static void node(Fields node, int depth) {
        node.requireText("name");
        node.tier();
        node.runtime();
        node.oneOf("workspace_access", "none", "read_only", "read_write");
        boolean reads = node.get("workspace_access") instanceof String access && access.startsWith("read_");
        if (reads && node.get("workspace_dir") == null) {
            node.complain("'workspace_access' needs a 'workspace_dir'");
        }
        if (Boolean.TRUE.equals(node.get("external")) && node.get("url") == null) {
            node.complain("an external workspace needs a 'url'");
        }
        node.listOfText("plugins");
        node.lists("channels", "schedules", "children");
        each(node, "channels", TemplateValidation::channel);
        each(node, "schedules", schedule -> {
            if (schedule.get("every_seconds") == null && schedule.get("at") == null) {
                schedule.requireText("cron_expr");
            }
            if (schedule.get("prompt_file") == null) {
                schedule.requireText("prompt");
            }
        });
        if (node.get("children") instanceof List<?> children) {
            nodes(children, "children", node, depth + 1);
        }
    }

    private static void channel(Fields channel) {
        channel.requireText("type");
        channel.oneOf("type", "telegram");
        channel.mapping("config");
        channel.bool("enabled");
        if ("telegram".equals(channel.get("type"))) {
            Map<?, ?> config = channel.get("config") instanceof Map<?, ?> map ? map : Map.of();
            channel.inside(config, "config").requireText("bot_token");
        }
    }

    private static void each(Fields parent, String key, Consumer<Fields> check) {
        if (parent.get(key) instanceof List<?> items) {
            for (int i = 0; i < items.size(); i++) {
                item(items.get(i), key + "[" + i + "]", parent, check);
            }
        }
    }

    private static void item(@Nullable Object value, String name, Fields parent, Consumer<Fields> check) {
        if (value instanceof Map<?, ?> map) {
            check.accept(parent.inside(map, name));
        } else {
            parent.complain(name + " must be a mapping");
        }
    }

    @FunctionalInterface
    private interface Check {
        void run(@Nullable Object yaml, String file, List<Complaint> complaints);
    }

    private static List<Complaint> check(Path path, String nameInFolder, Check check) {
        Path file = Files.isDirectory(path) ? path.resolve(nameInFolder) : path;
        List<Complaint> complaints = new ArrayList<>();
        try {
            check.run(YamlFile.read(file), file.toString(), complaints);
        } catch (PluginException e) {
            complaints.add(new Complaint(file.toString(), String.valueOf(e.getMessage())));
        }
        return List.copyOf(complaints);
    }
}
