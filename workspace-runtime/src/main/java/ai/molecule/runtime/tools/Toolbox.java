package ai.molecule.runtime.tools;

import java.util.Optional;

/**
 * What tools work with.
 *
 * @param inbox absent where messages are pushed to the agent, so that it need not fetch them
 */
public record Toolbox(Workspaces workspaces, Optional<Inbox> inbox) {}
