package ai.molecule.provisioner.backend;

import java.time.Instant;

/**
 * One run of an agent: a process, a container or a pod, told apart from any later one of the same name by when it started.
 *
 * @param id what the engine calls it: a pid, a container's id, a pod's uid
 * @param startedAt as the engine says, to its precision
 */
public record AgentProcess(String id, Instant startedAt) {}
