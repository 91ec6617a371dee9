package ai.molecule.runtime;

import ai.molecule.runtime.tools.AskedFirst;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.ToolSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * {@code unasked} of {@code config.yaml}: which of the tools that act may act without a person's approval; all others ask first. What only looks,
 * and what the org chart allows already, asks nobody.
 *
 * @param names as they stand there: {@code write}, {@code edit}, {@code run}, {@code fetch}, {@code files} for the first two, {@code
 *     <server>__<tool>}, {@code <server>__*}
 */
public record Unasked(Set<String> names) {

    static final String KEY = "unasked";

    static final int NAMES_MAX = 200;

    private static final Set<String> ACTING = Set.of("write", "edit", "run", "fetch");

    /** Ask nobody anyway; whoever lists all that an agent has is not told off for it. */
    private static final Set<String> HARMLESS =
            Set.of("files", "read", "list", "glob", "search", "ask", "request_approval");

    private static final Set<String> OF_FILES = Set.of("write", "edit");
    private static final String FOREIGN = "__";
    private static final String FOREIGN_NAME = "[A-Za-z0-9-]{1,40}__([A-Za-z0-9_-]{1,80}|\\*)";

    /** Empty where the key is not there: then no tool asks by itself. {@code unasked: []} is another thing: all that act ask. */
    static Optional<Unasked> in(Settings settings) {
        if (settings.isBlank(KEY)) {
            throw ConfigFile.wrong("unasked says nothing", "Write [] for none, or leave the key out for all.");
        }
        if (!settings.has(KEY)) {
            return Optional.empty();
        }
        List<?> written = settings.list(KEY);
        if (written.size() > NAMES_MAX) {
            throw ConfigFile.wrong("unasked has " + written.size() + " names", "Name at most " + NAMES_MAX + ".");
        }
        List<String> names = written.stream().map(String::valueOf).toList();
        names.stream().filter(name -> !isKnown(name)).findFirst().ifPresent(name -> {
            throw ConfigFile.wrong(
                    "unasked names " + (name.length() > 80 ? name.substring(0, 80) + "…" : name),
                    "Name write, edit, files, run, fetch, <server>__<tool> or <server>__*.");
        });
        return Optional.of(new Unasked(Set.copyOf(names)));
    }

    private static boolean isKnown(String name) {
        return ACTING.contains(name) || HARMLESS.contains(name) || name.matches(FOREIGN_NAME);
    }

    /** The same tools; those that act and are not named ask first. */
    ToolSource over(ToolSource tools) {
        return new ToolSource() {
            @Override
            public ForMessage begin() throws InterruptedException {
                ForMessage begun = tools.begin();
                return () -> begun.now().stream()
                        .map(tool -> asks(tool.name()) ? AskedFirst.of(tool) : tool)
                        .toList();
            }

            @Override
            public void takeOtherValues(Map<String, String> environment) {
                tools.takeOtherValues(environment);
            }

            @Override
            public void close() {
                tools.close();
            }
        };
    }

    /** @param tool a {@link ToolSpec}'s name */
    boolean asks(String tool) {
        int server = tool.indexOf(FOREIGN);
        if (server < 0 && !ACTING.contains(tool)) {
            return false;
        }
        boolean named = names.contains(tool)
                || OF_FILES.contains(tool) && names.contains("files")
                || server >= 0 && names.contains(tool.substring(0, server) + FOREIGN + "*");
        return !named;
    }
}
