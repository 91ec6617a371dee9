package ai.molecule.runtime;

import ai.molecule.runtime.a2a.CardForm;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.platform.SelfPrompts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The {@code config.yaml} of a workspace; what is left out has the default the platform has always had.
 *
 * @param name default {@code Workspace}
 * @param tier 1 when it is not a number
 * @param runtime the kind of agent, default {@code langgraph}
 * @param adapter what runs it: the runtime, unless the environment says otherwise
 * @param runtimeConfig settings of that kind, as they stand in the file
 * @param a2aPort {@code a2a.port}, default 8000
 * @param cardForm {@code a2a.card}, default {@code both}: which card somebody gets who names no version of the protocol
 * @param delegationTimeout {@code delegation.timeout} in seconds, default 120: how long a peer may take to answer
 * @param selfPrompts {@code initial_prompt}, {@code idle_prompt}, {@code idle_interval_seconds}
 * @param materials what its prompt and tools are made from
 * @param notEnforced the keys that are understood elsewhere and change nothing here, in the order of the file's description
 */
public record WorkspaceConfig(
        String name,
        String description,
        String version,
        String role,
        int tier,
        String model,
        String runtime,
        String adapter,
        Map<String, Object> runtimeConfig,
        int a2aPort,
        CardForm cardForm,
        Duration delegationTimeout,
        SelfPrompts selfPrompts,
        Materials materials,
        List<String> notEnforced) {

    static final String DEFAULT_RUNTIME = "langgraph";

    private static final Duration DELEGATION_MAX = Duration.ofMinutes(30);
    private static final int IDLE_MAX_SECONDS = 7 * 24 * 3600;
    private static final int TASK_BUDGET_MIN = 20_000;
    private static final Set<String> EFFORTS = Set.of("", "low", "medium", "high", "xhigh", "max");
    private static final List<String> SECTIONS_NOT_ENFORCED =
            List.of("rbac", "hitl", "governance", "compliance", "sandbox");
    private static final List<String> KEYS_NOT_ENFORCED =
            List.of("rbac", "hitl", "governance", "security_scan", "compliance", "sandbox", "effort", "task_budget");

    /**
     * Names of files and folders beside the configuration, in the order in which they stand there.
     *
     * @param promptFiles {@code prompt_files}; empty: {@code system-prompt.md}
     * @param unasked absent: no tool asks a person by itself
     */
    public record Materials(
            List<String> skills,
            List<String> plugins,
            List<String> tools,
            List<String> promptFiles,
            List<String> sharedContext,
            Optional<Unasked> unasked) {

        private static Materials read(Settings settings) {
            return new Materials(
                    settings.texts("skills"),
                    settings.texts("plugins"),
                    settings.texts("tools"),
                    settings.texts("prompt_files"),
                    settings.texts("shared_context"),
                    Unasked.in(settings));
        }
    }

    /** @throws PreflightFailure when the file is missing, not YAML, or has a value that cannot be used */
    static WorkspaceConfig read(Path folder) {
        var settings = new Settings(ConfigFile.load(folder));
        checkWhatOthersRead(settings);
        return new WorkspaceConfig(
                settings.text("name", "Workspace"),
                settings.text("description", ""),
                settings.text("version", "1.0.0"),
                settings.text("role", ""),
                settings.text("tier", "1").matches("\\d{1,4}") ? settings.number("tier", 1) : 1,
                settings.text("model", AgentSetup.UNSAID_MODEL),
                settings.text("runtime", DEFAULT_RUNTIME),
                settings.text("runtime", DEFAULT_RUNTIME),
                settings.section("runtime_config").values(),
                settings.section("a2a").number("port", 8000),
                cardForm(settings.section("a2a").text("card", "both")),
                timeout(settings.section("delegation")),
                selfPrompts(folder, settings),
                Materials.read(settings),
                notEnforced(settings));
    }

    /** The same as another kind of agent. */
    WorkspaceConfig as(String other) {
        return with(other, other);
    }

    /** The same with another adapter. */
    WorkspaceConfig runBy(String other) {
        return with(runtime, other);
    }

    private WorkspaceConfig with(String otherRuntime, String otherAdapter) {
        return new WorkspaceConfig(
                name,
                description,
                version,
                role,
                tier,
                model,
                otherRuntime,
                otherAdapter,
                runtimeConfig,
                a2aPort,
                cardForm,
                delegationTimeout,
                selfPrompts,
                materials,
                notEnforced);
    }

    private static CardForm cardForm(String name) {
        try {
            return CardForm.named(name);
        } catch (IllegalArgumentException unknown) {
            throw ConfigFile.wrong("a2a.card is " + name, "Set it to both, 0.3 or 1.0.");
        }
    }

    private static Duration timeout(Settings delegation) {
        double seconds = delegation.decimal("timeout", 120);
        if (!(seconds > 0 && seconds <= DELEGATION_MAX.toSeconds())) {
            throw ConfigFile.wrong(
                    "delegation.timeout is " + seconds, "Set it to seconds, more than 0 and at most 1800.");
        }
        return Duration.ofMillis((long) (seconds * 1000));
    }

    private static SelfPrompts selfPrompts(Path folder, Settings settings) {
        int seconds = (int) settings.decimal("idle_interval_seconds", 600);
        if (seconds < 1 || seconds > IDLE_MAX_SECONDS) {
            throw ConfigFile.wrong("idle_interval_seconds is " + seconds, "Set it to a number from 1 to 604800.");
        }
        return new SelfPrompts(
                ConfigFile.prompt(folder, settings, "initial_prompt"),
                ConfigFile.prompt(folder, settings, "idle_prompt"),
                Duration.ofSeconds(seconds));
    }

    /** What the platform reads of the same file, and what nobody enforces: a mistake in it is told where it can be seen. */
    private static void checkWhatOthersRead(Settings settings) {
        var delegation = settings.section("delegation");
        if (delegation.number("retry_attempts", 3) < 0 || delegation.decimal("retry_delay", 5) < 0) {
            throw ConfigFile.wrong("delegation has a negative number", "Set retry_attempts and retry_delay from 0.");
        }
        delegation.truth("escalate", true);
        settings.section("category_routing");
        settings.list("sub_workspaces");
        SECTIONS_NOT_ENFORCED.forEach(settings::section);
        String effort = settings.text("effort", "");
        if (!EFFORTS.contains(effort)) {
            throw ConfigFile.wrong("effort is " + effort, "Set it to low, medium, high, xhigh or max.");
        }
        int budget = settings.number("task_budget", 0);
        if (budget != 0 && budget < TASK_BUDGET_MIN) {
            throw ConfigFile.wrong("task_budget is " + budget, "Set it to 20000 or more, or leave it out.");
        }
    }

    private static List<String> notEnforced(Settings settings) {
        var keys =
                new ArrayList<>(KEYS_NOT_ENFORCED.stream().filter(settings::has).toList());
        var a2a = settings.section("a2a");
        if (!a2a.truth("streaming", true)) {
            keys.add("a2a.streaming: false");
        }
        if (a2a.truth("push_notifications", false)) {
            keys.add("a2a.push_notifications: true");
        }
        return List.copyOf(keys);
    }
}
