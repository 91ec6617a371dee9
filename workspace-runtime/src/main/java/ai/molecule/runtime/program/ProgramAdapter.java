package ai.molecule.runtime.program;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.processes.Programs;
import ai.molecule.runtime.prompts.ToolWords;
import ai.molecule.runtime.shell.OwnCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Keeps a program that speaks in lines, for all messages. */
public final class ProgramAdapter implements Adapter {

    private static final String COMMAND = "command";

    @Override
    public String name() {
        return "program";
    }

    @Override
    public AgentExecutor start(AdapterContext context) {
        var environment = context.programEnvironment();
        ToolWords words = environment.containsKey(OwnCommand.VARIABLE) ? ToolWords.SHELL : ToolWords.NONE;
        List<String> command =
                new ArrayList<>(List.of(context.text(COMMAND, "").strip().split("\\s+", -1)));
        var setup = context.setup(words, environment);
        if (command.getFirst().isEmpty()) {
            throw new NotReady(
                    "Command", "runtime_config.command is not set", "Set it to the program that is the agent.");
        }
        Path beside = context.configFolder().resolve(command.getFirst());
        String program = Programs.find(beside.toAbsolutePath().toString(), environment)
                .or(() -> Programs.find(command.getFirst(), environment))
                .orElseThrow(() -> new NotReady(
                        "Command",
                        command.getFirst() + " is not installed: no such program is on the PATH or beside config.yaml",
                        "Install it, or correct runtime_config.command."))
                .toString();
        command.set(0, program);
        command.addAll(setup.args());
        return new ProgramExecutor(
                new AgentProgram.Beginning(
                        List.copyOf(command),
                        environment,
                        context.configFolder().toAbsolutePath(),
                        context.workspaceFolder(),
                        setup),
                setup.systemPrompt());
    }
}
