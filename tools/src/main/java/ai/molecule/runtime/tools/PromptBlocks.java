package ai.molecule.runtime.tools;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** What a system prompt says of the tools, made from the table. */
public final class PromptBlocks {

    private static final String A2A_FOOTER = """
            Begin with list_peers when you do not know whom to ask. You reach your siblings, your parent and your direct children;\
             the platform refuses everybody else. When an answer begins with DELEGATION FAILED, decide what to do about it and say\
             that in your own words; never pass it on as it is.""";

    private static final String MEMORY_FOOTER = """
            Begin a piece of work with recall_memory, and commit what matters as soon as you learn it without being told to; what\
             you only keep in mind is gone with the conversation.""";

    /** For an agent that has a shell and no tools. It ends without a line feed. */
    public static final String A2A_FOR_A_SHELL = """
            ## %s

            You reach your peers with these commands:

                molecule a2a peers
                molecule a2a delegate <workspace-id> <task>
                molecule a2a delegate --async <workspace-id> <task>
                molecule a2a status <workspace-id> <delegation-id>
                molecule a2a info

            Begin with peers when you do not know whom to ask; with --async you get a delegation id instead of waiting.
            You reach your siblings, your parent and your direct children, and nobody else.""".formatted(Section.A2A.heading());

    private PromptBlocks() {}

    public static String a2a() {
        return render(Section.A2A, A2A_FOOTER);
    }

    public static String memory() {
        return render(Section.MEMORY, MEMORY_FOOTER);
    }

    /** A short list of all tools for the top of a prompt. An agent without tools gets none. */
    public static String capabilities() {
        return capabilities(tool -> true);
    }

    /** The same of those that are there. */
    public static String capabilities(Predicate<ToolSpec> isThere) {
        var text = new StringBuilder("## Platform Capabilities\n\nThe platform gives you these tools:\n");
        for (Section section : Section.OF_THE_PLATFORM) {
            text.append("\n**").append(section.heading()).append("**\n\n");
            Tools.in(section).stream()
                    .filter(isThere)
                    .forEach(tool -> text.append("- `%s` — %s\n".formatted(tool.name(), tool.brief())));
        }
        return text.toString();
    }

    /**
     * What in {@link #A2A_FOR_A_SHELL} stands for each tool that deals with peers; empty for what a shell cannot do. In the
     * order of the table.
     */
    public static Map<String, Optional<String>> shellKeywords() {
        var keywords = new LinkedHashMap<String, Optional<String>>();
        Tools.in(Section.A2A)
                .forEach(tool -> keywords.put(tool.name(), Optional.ofNullable(SHELL_KEYWORDS.get(tool.name()))));
        return keywords;
    }

    /** The space tells {@code delegate} from {@code delegate --async}. */
    static final Map<String, String> SHELL_KEYWORDS = Map.of(
            "list_peers", "peers",
            "delegate_task", "delegate ",
            "delegate_task_async", "delegate --async",
            "check_task_status", "status",
            "get_workspace_info", "info");

    private static String render(Section section, String footer) {
        List<ToolSpec> tools = Tools.in(section);
        var text = new StringBuilder("## ").append(section.heading()).append("\n\n");
        tools.forEach(tool -> text.append("- **%s**: %s\n".formatted(tool.name(), tool.brief())));
        text.append('\n');
        tools.forEach(tool -> text.append("### %s\n\n%s\n\n".formatted(tool.name(), tool.whenToUse())));
        return text.append(footer).toString().stripTrailing() + "\n";
    }
}
