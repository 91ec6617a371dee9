package ai.molecule.runtime.cli;

import ai.molecule.runtime.adapter.Adapter;
import ai.molecule.runtime.adapter.AdapterContext;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.processes.MemoryLimit;
import ai.molecule.runtime.prompts.ToolWords;
import ai.molecule.runtime.shell.OwnCommand;

/** Starts a program for each message. */
public final class CliAdapter implements Adapter {

    @Override
    public String name() {
        return "cli";
    }

    @Override
    public AgentExecutor start(AdapterContext context) {
        var login = OwnLogin.of(context);
        var given = context.programEnvironment();
        var environment = login.isPresent() ? OwnLogin.withoutDoor(given) : given;
        boolean reachable = environment.containsKey(OwnCommand.VARIABLE);
        ToolWords words =
                KnownProgram.of(context.runtime(), context.text("command", "")).isPresent()
                        ? ToolWords.TOOLS
                        : ToolWords.SHELL;
        var permission = Permission.of(context.text("permission_mode", ""), context.tier());
        return new CliExecutor(
                context.setup(reachable ? words : ToolWords.NONE, environment),
                new ProgramAllowance(permission, context.tier(), MemoryLimit.bytes()),
                login);
    }
}
