package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace with everything below it, as of one moment. Called by the export of a bundle. Reads only. Fails with INVALID for
 * more than {@link CreateWorkspaces#MAX}.
 */
public record DescribeBranch(UUID workspaceId) {

    public static final Contract<DescribeBranch, Branch> CONTRACT =
            Contract.reading("registry.describe-branch", DescribeBranch.class, Branch.class);

    /** The asked one first, every other after its parent, children oldest first. Empty for an unknown or removed workspace. */
    public record Branch(List<Member> members) {}

    /**
     * @param external whether its agent runs elsewhere
     * @param url of an external one; empty where it is not known
     * @param idleMinutes after which it sleeps, 0 for never; null where it goes by what is above it
     * @param agentCard null where there is none
     */
    public record Member(
            UUID id,
            @Nullable UUID parentId,
            String name,
            @Nullable String role,
            int tier,
            String runtime,
            @Nullable String model,
            boolean external,
            String url,
            int maxConcurrentTasks,
            @Nullable Integer idleMinutes,
            @Nullable JsonNode agentCard) {}
}
