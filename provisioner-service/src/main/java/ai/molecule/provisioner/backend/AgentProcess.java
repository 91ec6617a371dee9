package ai.molecule.provisioner.backend;

import java.time.Instant;

/**
 * One process, told apart from any later one that gets the same pid by when it started.
 *
 * @param startedAt as the operating system says, to its precision
 */
public record AgentProcess(long pid, Instant startedAt) {}
