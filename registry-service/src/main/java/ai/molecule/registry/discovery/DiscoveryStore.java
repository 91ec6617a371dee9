package ai.molecule.registry.discovery;

import io.vertx.core.Future;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** What {@link DiscoveryService} needs from persistence. */
public interface DiscoveryStore {

    /** In one snapshot; removed ones included, unknown ones are missing. Others may be among them. */
    Future<Map<UUID, Location>> locate(Collection<UUID> ids);

    /** Siblings, then children, then the parent, without removed ones; empty when the workspace is unknown. */
    Future<Optional<List<UUID>>> neighbours(UUID id);

    /** As their peers see them; unknown and removed ones are missing. Others may be among them. */
    Future<Map<UUID, Peer>> peers(Collection<UUID> ids);
}
