package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.containers.Tier;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** What an agent's process runs. */
public interface AgentCommand {

    /**
     * The command line, with the mark's arguments in it.
     *
     * @param tier what it may use
     * @throws StartRefused when there is nothing to run
     */
    List<String> of(AgentMark mark, Tier tier);

    /** What its user must be able to read or run; the agent's own folders aside. */
    default List<Path> needs() {
        return List.of();
    }

    /** The adapters it has, as it says itself; fails with {@link StartRefused} when there is nothing to ask. */
    Set<String> adapters();
}
