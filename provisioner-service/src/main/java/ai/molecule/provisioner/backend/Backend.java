package ai.molecule.provisioner.backend;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Runs agents. Every method may be repeated, and none decides whether an agent should run. A failure other than
 * {@link StartFailure} means that the engine could not be asked: nothing is concluded from it.
 */
public interface Backend {

    /** The runtime that keeps its conversations in {@link #SESSIONS}. */
    String KEEPS_SESSIONS = "claude-code";

    /** Where, below its home. */
    FilePath SESSIONS = FilePath.of(".claude/sessions");

    /** Whether there is an engine at all; without one, restart and resume are refused. */
    boolean available();

    /** The place whose agents this backend sees, where that is one place and not another; empty where it sees the agents from everywhere. */
    default Future<Optional<AgentHost>> host() {
        return Future.succeededFuture(Optional.empty());
    }

    /** Fails when the engine cannot be asked now. One that is the operating system itself always can be. */
    default Future<Void> ping() {
        return Future.succeededFuture();
    }

    /** Why agents of this runtime cannot run here; empty when they can. */
    Optional<StartRefused> refusal(String runtime);

    /** Why a tier gives too little for the program that this runtime is, where that is known before its start; empty when it does not. */
    default Optional<String> tierRefusal(String runtime, int tier) {
        return Optional.empty();
    }

    /** What the workspace's tier promises and its agent does not get here, in one sentence; empty when it gets everything. */
    default Optional<String> withheld(ManagedWorkspace workspace) {
        return Optional.empty();
    }

    /**
     * A port that nobody listens on now.
     *
     * @param last the workspace's port so far, kept when it is still free
     * @param taken ports of other workspaces, running or not
     */
    Future<Integer> choosePort(@Nullable Integer last, Set<Integer> taken);

    /** Where the platform reaches the workspace's agent, given the port chosen for it. */
    String url(UUID workspaceId, int port);

    /** Where other agents reach it, when that is another way. */
    default String internalUrl(UUID workspaceId, int port) {
        return url(workspaceId, port);
    }

    /** How many starts it is given at once. */
    default int startsAtOnce() {
        return 4;
    }

    /**
     * Whether a start lays {@link InitialFiles} itself, because before it files could only be reached by starting something else.
     * Then nothing of the workspace is read before its start: what its config requires its agent says.
     */
    default boolean laysInitialFiles() {
        return false;
    }

    /** Starts an agent and completes when its process exists, long before it answers. Fails with {@link StartFailure}. */
    Future<AgentProcess> start(Launch launch);

    /** Ends a process: politely, then by force. Completes when it is gone; one that is gone already is fine. */
    Future<Void> stop(AgentProcess process);

    /**
     * The workspace's process if it lives.
     *
     * @param recorded the process known for it; null to look for one that was started but never recorded
     */
    Future<Optional<AgentProcess>> findAlive(UUID workspaceId, @Nullable AgentProcess recorded);

    /**
     * Every live process of this platform's workspaces, whether anybody remembers it or not: how orphans are found. At most one a
     * workspace, and bounded by what the engine runs.
     */
    Future<Map<UUID, AgentProcess>> findAll();

    /**
     * Tells who stands under whom now. A backend that fences agents off moves the fences; a workspace not among the keys is left as
     * it is.
     *
     * @param parents by workspace, of a root its tenant's scope; an empty value for a root without
     */
    default Future<Void> place(Map<UUID, Optional<UUID>> parents) {
        return Future.succeededFuture();
    }

    /** Takes the workspace's agent off the network at once, for one that is about to be stopped because nobody trusts it any more. */
    default Future<Void> cutOff(UUID workspaceId) {
        return Future.succeededFuture();
    }

    /** Every workspace for which something is kept, running or not: how what was left behind is found. At most 10,000. */
    default Future<Set<UUID>> findKept() {
        return Future.succeededFuture(Set.of());
    }

    /** Completes when the process ends, however long that takes. May miss the end of a process that is not our child. */
    Future<Void> exitOf(AgentProcess process);

    /**
     * How a process ended, in words: {@code exit code 137}, {@code out of memory}, {@code removed by someone else}, or that it is
     * not known.
     *
     * @param process null for one that was started but never recorded
     */
    Future<String> describeExit(UUID workspaceId, @Nullable AgentProcess process);

    /** Ends what an agent that is gone left running. */
    default Future<Void> clear(UUID workspaceId) {
        return Future.succeededFuture();
    }

    /** Why an agent that was started does not come to life, in one sentence; empty when that is not known. */
    default Future<Optional<String>> obstacle(UUID workspaceId) {
        return Future.succeededFuture(Optional.empty());
    }

    /** The last lines of the agent's log, at most 20 and 4 KiB; empty when there is none. */
    Future<String> logTail(UUID workspaceId);

    /** Keeps the agent's log within its bound. */
    Future<Void> trimLog(UUID workspaceId);

    /** The folders of the workspaces. */
    WorkspaceFiles files();

    /** Deletes what Claude Code keeps of its conversations, whether its agent runs or not. */
    default Future<Void> forgetSessions(UUID workspaceId) {
        return files().delete(workspaceId, Root.HOME, SESSIONS).mapEmpty();
    }

    /** Deletes everything kept for the workspace. Its process must be stopped. */
    Future<Void> delete(UUID workspaceId);
}
