package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.agent.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The programs whose options, events and sessions are known. Each reads one message from standard input, answers it in events, and ends. */
enum KnownProgram {
    CLAUDE(
            "claude-code",
            "anthropic",
            1024, // of 512 it ends itself, without a word
            List.of("claude", "--print", "--output-format", "stream-json", "--verbose", "--include-partial-messages"),
            CliCommand.Told.BY_ARGUMENT,
            ClaudeOutput::new),
    CODEX(
            "codex",
            "openai",
            0,
            List.of("codex", "exec", "--json", "--skip-git-repo-check"),
            CliCommand.Told.BEFORE_THE_MESSAGE,
            CodexOutput::new),
    GEMINI(
            "gemini-cli",
            "google",
            0,
            List.of("gemini", "--output-format", "stream-json", "--skip-trust"),
            CliCommand.Told.BEFORE_THE_MESSAGE,
            GeminiOutput::new);

    /** Where {@code codex} is told that its models are; its key stands in the variable, not here. */
    private static final String CODEX_DOOR =
            "model_providers.molecule={name=\"molecule\",base_url=\"%s\",env_key=\"OPENAI_API_KEY\",wire_api=\"responses\"}";

    final String runtime;
    final String provider;
    private final int memoryMb;
    final CliCommand.Told told;
    private final List<String> words;
    private final Function<Reply, EventOutput> reader;

    KnownProgram(
            String runtime,
            String provider,
            int memoryMb,
            List<String> words,
            CliCommand.Told told,
            Function<Reply, EventOutput> reader) {
        this.runtime = runtime;
        this.provider = provider;
        this.memoryMb = memoryMb;
        this.words = words;
        this.told = told;
        this.reader = reader;
    }

    /** @param command of one's own, which may be any program */
    static Optional<KnownProgram> of(String runtime, String command) {
        return command.isEmpty()
                ? Arrays.stream(values())
                        .filter(each -> each.runtime.equals(runtime))
                        .findFirst()
                : Optional.empty();
    }

    String command() {
        return words.getFirst();
    }

    /** @throws NotReady in place of an end without a word, at the first message */
    void requireMemory(ProgramAllowance allowance) {
        long given = allowance.memoryBytes() >> 20;
        if (given < memoryMb) {
            throw new NotReady(
                    "Memory",
                    "%s needs %d MB of memory, and tier %d has %d MB here"
                            .formatted(command(), memoryMb, allowance.tier(), given),
                    "Give the workspace tier 3, or set TIER%d_MEMORY_MB of the platform to %d or more."
                            .formatted(allowance.tier(), memoryMb));
        }
    }

    /**
     * @param model empty to leave the choice to the program
     * @param held by the sandbox it brings along
     */
    List<String> words(String model, Permission permission, boolean held) {
        List<String> all = new ArrayList<>(words);
        if (!model.isEmpty()) {
            all.addAll(List.of("--model", model));
        }
        all.addAll(allowing(permission, held));
        return all;
    }

    EventOutput reading(Reply reply) {
        return reader.apply(reply);
    }

    private List<String> allowing(Permission permission, boolean held) {
        return switch (this) {
            case CLAUDE ->
                switch (permission) {
                    case READ -> List.of();
                    case EDIT, ASK -> List.of("--permission-mode", "acceptEdits");
                    case ALL -> List.of("--permission-mode", "bypassPermissions");
                };
            case CODEX ->
                switch (permission) {
                    case READ -> List.of("--sandbox", "read-only");
                    case EDIT, ASK -> List.of("--sandbox", held ? "workspace-write" : "danger-full-access");
                    case ALL -> List.of("--dangerously-bypass-approvals-and-sandbox");
                };
            case GEMINI ->
                switch (permission) {
                    case READ -> List.of();
                    case EDIT, ASK -> List.of("--approval-mode", "auto_edit");
                    case ALL -> List.of("--approval-mode", "yolo");
                };
        };
    }

    /** What it wants to have in its environment besides. */
    Map<String, String> variables(Permission permission) {
        return switch (this) {
            case CLAUDE ->
                permission == Permission.ALL
                        ? Map.of("IS_SANDBOX", "1", QUIET, "1")
                        : Map.of(QUIET, "1"); // as root it wants the first
            case CODEX, GEMINI -> Map.of();
        };
    }

    private static final String QUIET = "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC";

    /** How it is told where its models are, where a variable does not do. */
    List<String> askingModels(Map<String, String> environment) {
        String url = environment.getOrDefault("OPENAI_BASE_URL", "");
        boolean writable = url.chars().noneMatch(c -> c == '"' || c == '\\' || c < ' ');
        return this == CODEX && !url.isEmpty() && writable
                ? List.of("--config", "model_provider=\"molecule\"", "--config", CODEX_DOOR.formatted(url))
                : List.of();
    }

    /** The last words of a run that goes on with a session. */
    List<String> goingOn(String session) {
        return switch (this) {
            case CLAUDE, GEMINI -> List.of("--resume", session);
            case CODEX -> List.of("resume", session, "-");
        };
    }
}
